# The live service of this checkout:
#
#     docker build -t costream .
#     docker run --rm -v fraud:/data costream token add shop --scope score --scope label --dir /data/fraud
#     docker run -d -v fraud:/data -p 127.0.0.1:8321:8321 costream \
#         --dir /data/fraud --host 0.0.0.0 --require-token --fn-cost 200 --fp-cost 5 --expire 30d
#
# docs/operations.md says more.
FROM python:3.13-slim

WORKDIR /opt/costream
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN pip install --no-cache-dir ".[serve]" \
    && useradd --system --create-home costream \
    && install --directory --owner=costream --group=costream --mode=0700 /data /var/cache/costream

# What is compiled here is of use on processors of the same kind; on others the first start compiles it.
USER costream
ENV COSTREAM_CACHE_DIR=/var/cache/costream
RUN costream compile auto

WORKDIR /data
VOLUME /data
EXPOSE 8321
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=120s \
    CMD ["python", "-c", "import urllib.request as r; r.urlopen('http://127.0.0.1:8321/health/ready', timeout=5)"]
ENTRYPOINT ["costream", "serve"]
CMD ["--dir", "/data/fraud", "--host", "0.0.0.0", "--require-token"]
