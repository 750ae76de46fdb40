"""Files and pipes as blocks of rows: LIBSVM text, CSV and TSV, JSON lines, Parquet and Arrow."""
