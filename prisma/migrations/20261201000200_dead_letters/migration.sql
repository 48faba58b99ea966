-- Dead letters: runs that killed every process that acted them (DESIGN §7.7). Few, so the list has an index of its own.
create index runs_dead on runs (tenant, ended_at, id) where state = 'failed' and reason like 'poison: %';
