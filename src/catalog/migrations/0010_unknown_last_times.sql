-- Days that were loaded before the time of a security's last order was kept have 0 there, and whoever asked for
-- later times got nothing. The latest time there can be makes every read look; `doctor --repair` finds the true one.
UPDATE day_securities SET last_time = 235959999 WHERE last_time = 0 AND rows > 0;
