"""What is shown of the results: the page of the lab, and its tables as Markdown."""
