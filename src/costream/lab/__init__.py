"""The paper as small experiments: plan, trials, results, tables, figures and a report."""
