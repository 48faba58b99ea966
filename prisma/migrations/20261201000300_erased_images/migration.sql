-- What is left of a part whose content was erased: its place. An image goes with its address and its bytes.
create or replace function run_log_erased(part jsonb) returns jsonb language sql immutable as $$
  select part - 'blob' || case
    when part ? 'arguments' then '{"arguments": null}'::jsonb
    when part->>'type' = 'image' then '{"source": null}'::jsonb
    else '{"text": null}'::jsonb
  end
$$;
