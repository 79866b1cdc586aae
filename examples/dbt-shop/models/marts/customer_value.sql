{{ config(materialized='table') }}

select
  c.id as customer_id,
  c.name,
  c.country,
  count(o.order_id) as orders,
  coalesce(sum(o.amount), 0)::decimal(12, 2) as revenue,
  max(o.ordered_at) as last_order
from {{ ref('raw_customers') }} c
left join {{ ref('stg_orders') }} o on o.customer_id = c.id and o.status = 'paid'
group by all
