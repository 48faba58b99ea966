# One image a target: docker build --target <app> . (agent-registry, session, run-executor, gateway, model-simulator, migrate)
FROM node:24.11.1-bookworm-slim AS base
WORKDIR /parley
ENV NODE_ENV=production

FROM base AS build
COPY . .
RUN npm ci --ignore-scripts --include=dev && npm run build && npm prune --omit=dev --ignore-scripts

FROM base AS app
COPY --from=build /parley /parley
USER node

FROM app AS migrate
CMD ["node", "tools/prisma/migrate.mjs"]

FROM app AS model-simulator
CMD ["node", "--enable-source-maps", "apps/model-simulator/dist/main.js"]

FROM app AS agent-registry
CMD ["node", "--enable-source-maps", "apps/agent-registry/dist/main.js"]

FROM app AS session
CMD ["node", "--enable-source-maps", "apps/session/dist/main.js"]

FROM app AS run-executor
CMD ["node", "--enable-source-maps", "apps/run-executor/dist/main.js"]

FROM app AS gateway
CMD ["node", "--enable-source-maps", "apps/gateway/dist/main.js"]
