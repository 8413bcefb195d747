-- What a refused order request asked for, as far as it was understood: a denial names it only where it is the reason.
ALTER TABLE refusals ADD COLUMN symbol TEXT;
ALTER TABLE refusals ADD COLUMN tradedate TEXT;
