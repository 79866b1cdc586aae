-- a view on a view
select
  strftime(ordered_at, '%Y-%m') as month,
  sum(amount) filter (where status = 'paid') as revenue,
  count(*) filter (where status = 'refunded') as refunds
from {{ ref('stg_orders') }}
group by all
