-- `owner` is a GitHub login; `team` has who leads whom.
CREATE TABLE tickets AS
SELECT * FROM (VALUES
  (1, 'octocat', 'Rotate the signing keys', 'open', DATE '2026-02-01'),
  (2, 'octocat', 'Write the runbook', 'done', DATE '2026-01-12'),
  (3, 'hubot', 'Answer within a second', 'open', DATE '2026-02-20'),
  (4, 'monalisa', 'Draw the diagram', 'open', DATE '2026-03-03')
) AS t(id, owner, title, state, due);

CREATE TABLE team AS SELECT * FROM (VALUES ('monalisa', 'octocat'), ('monalisa', 'hubot')) AS t(lead, member);
