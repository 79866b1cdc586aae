SELECT
  o.id,
  o.ordered_at,
  o.delivery,
  o.slot,
  o.packing,
  c.email AS customer,
  'https://shop.example.com/orders/' || o.id AS page,
  o.total
FROM orders AS o
JOIN customers AS c ON c.id = o.customer_id
WHERE o.ordered_at >= $from
  AND o.ordered_at < $before
  AND o.ordered_at >= $seen_at
  AND ($slot_from IS NULL OR o.slot >= $slot_from)
  AND ($packing_at_most IS NULL OR o.packing <= $packing_at_most)
  AND ($customer_email IS NULL OR c.email = $customer_email)
ORDER BY o.ordered_at DESC
