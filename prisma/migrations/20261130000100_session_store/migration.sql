-- A session tells in which state the run is that has its turn: the stores may read that much of runs, by tenant.
create policy one_tenant on runs for select to parley_store
  using (tenant = nullif(current_setting('parley.tenant', true), '')::uuid);
grant select (tenant, id, state) on runs to parley_store;
