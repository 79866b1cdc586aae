-- a view: it costs nothing to build, and svc serves it like a table
select
  id as order_id,
  customer_id,
  ordered_at,
  (amount_cents / 100)::decimal(12, 2) as amount,
  status
from {{ ref('raw_orders') }}
