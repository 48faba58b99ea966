import { defineConfig } from 'prisma/config';

/** For Prisma's CLI only, which writes the client and compares models with migrations; the apps do not read it. */
export default defineConfig({
  schema: 'prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? '' },
});
