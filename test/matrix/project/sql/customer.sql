-- 'not $a parameter'
SELECT id, name, balance FROM customers WHERE id = $id
