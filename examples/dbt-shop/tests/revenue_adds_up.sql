-- fails with every row it returns: both marts count the same money
select m.total, c.total as by_customer
from (select sum(revenue) as total from {{ ref('revenue_by_month') }}) m,
     (select sum(revenue) as total from {{ ref('customer_value') }}) c
where m.total <> c.total
