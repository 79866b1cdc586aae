-- The conformance project needs no data of its own: every endpoint makes its answer.
CREATE TABLE nothing (id INTEGER);
