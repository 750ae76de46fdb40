"""What is known of each data set of the paper, and of those that stand in for them."""

from __future__ import annotations

from dataclasses import dataclass

LIBSVM = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
BINARY, MULTICLASS = f"{LIBSVM}/binary.html", f"{LIBSVM}/multiclass.html"
UCI = "https://archive.ics.uci.edu"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A data set: where its files are, and how to know that they are the right ones."""

    name: str
    title: str  # as the paper prints it
    files: tuple[str, ...]  # any one of them holds it, plain or compressed
    home: str  # a page for people
    rows: int
    features: int
    positives: int
    positive: str = "1"  # labels, as for --positive
    table: int | None = None  # of the paper, None for one that is not in it
    ratio: str = ""  # of positives to negatives, as the paper prints it
    sources: tuple[str, ...] = ()  # addresses of its parts, in order; none: it cannot be downloaded
    checksums: tuple[str, ...] = ()  # see `fingerprint`; empty if it was never at hand
    exact: bool = True  # whether the content must be one of the checksums
    layout: str = "libsvm"  # of files without that suffix; "csv": no header, numbers, the label last
    max_abs: bool = False  # columns are divided by their largest absolute value
    orders: str = ""  # a file of known permutations beside it
    stands_for: str = ""  # the name of another one that is hard to get
    note: str = ""  # how it differs from what the paper says


ENTRIES = (
    Entry(
        name="covtype",
        title="covtype",
        table=1,
        files=("covtype.libsvm", "covtype"),
        sources=(f"{LIBSVM}/binary/covtype.libsvm.binary.bz2",),
        home=f"{BINARY}#covtype.binary",
        rows=581_012,
        features=54,
        positive="2",
        positives=283_301,
        ratio="1:1",
        checksums=("7043da873fc94ca30085d0f4",),
        note="cover type 2 against the rest; the ratio is 1:1.05",
    ),
    Entry(
        name="german",
        title="german",
        table=1,
        files=("german.libsvm",),
        sources=(f"{LIBSVM}/binary/german.numer",),
        home=f"{BINARY}#german.numer",
        rows=1000,
        features=24,
        positives=300,
        ratio="1:2.3",
        checksums=("8ff365f4caf4e232a69bc904",),
        orders="german.perm20.txt",
    ),
    Entry(
        name="a9a",
        title="a9a",
        table=1,
        files=("a9a.libsvm",),
        sources=(f"{LIBSVM}/binary/a9a", f"{LIBSVM}/binary/a9a.t"),
        home=f"{BINARY}#a9a",
        rows=48_842,
        features=123,
        positives=11_687,
        ratio="1:3.2",
        checksums=("56a6409945d1c50efdeec4af",),
        note="the training and the test file, one after the other",
    ),
    Entry(
        name="ijcnn1",
        title="ijcnn1",
        table=1,
        files=("ijcnn1.libsvm",),
        sources=(f"{LIBSVM}/binary/ijcnn1.bz2",),
        home=f"{BINARY}#ijcnn1",
        rows=49_990,
        features=22,
        positives=4853,
        ratio="1:9.4",
        checksums=("2d55323b3829caf9c3ee5450",),
        note="Table 1 says 141691 rows, which is with the test file; the paper's costs are those of "
        "these 49990 rows, 1:9.30",
    ),
    Entry(
        name="mushrooms",
        title="mushrooms",
        table=4,
        files=("mushrooms.libsvm",),
        sources=(f"{LIBSVM}/binary/mushrooms",),
        home=f"{BINARY}#mushrooms",
        rows=8124,
        features=112,
        positive="2",
        positives=4208,
        ratio="1:1.07",
        checksums=("f69549212af1d101878eb1e0",),
        note="the ratio 1:1.07 is that of label 1; the paper's costs are those of label 2, 1:0.93",
    ),
    Entry(
        name="protein",
        title="protein",
        table=4,
        files=("protein.libsvm",),
        sources=(f"{LIBSVM}/multiclass/protein.bz2",),
        home=f"{MULTICLASS}#protein",
        rows=17_766,
        features=357,
        positive="0",
        positives=8198,
        ratio="1:1.7",
        note="the ratio 1:1.7 is a misprint: the paper's costs are those of label 0, 1:1.17",
    ),
    Entry(
        name="usps",
        title="usps",
        table=4,
        files=("usps.libsvm",),
        sources=(f"{LIBSVM}/multiclass/usps.bz2",),
        home=f"{MULTICLASS}#usps",
        rows=7291,
        features=256,
        positives=1194,
        ratio="1:5.11",
        checksums=("ae72d17c699acd765ce16268",),
        exact=False,
        note="the digit 0 against the rest; the copy that is known was computed from the ESL data "
        "zip.train, and agrees with that of LIBSVM to 1e-6",
    ),
    Entry(
        name="sensorless",
        title="Sensorless",
        table=4,
        files=("sensorless.libsvm",),
        sources=(f"{LIBSVM}/multiclass/Sensorless",),
        home=f"{MULTICLASS}#Sensorless",
        rows=58_509,
        features=48,
        positives=5319,
        ratio="1:10",
        note="the paper does not say which of the 11 classes is positive; all have 5319 rows",
    ),
    Entry(
        name="australian",
        title="Australian",
        table=7,
        files=("australian.libsvm",),
        sources=(f"{LIBSVM}/binary/australian",),
        home=f"{BINARY}#australian",
        rows=690,
        features=14,
        positives=307,
        ratio="1:1.25",
        checksums=("199abf5d59ebb65764e0dbd2",),
    ),
    Entry(
        name="magic04",
        title="Magic04",
        table=7,
        files=("magic04.libsvm",),
        sources=(f"{UCI}/ml/machine-learning-databases/magic/magic04.data",),
        home=f"{UCI}/dataset/159/magic+gamma+telescope",
        rows=19_020,
        features=10,
        positive="1,h",
        positives=6688,
        ratio="1:1.8",
        checksums=("a1041947391297bf2d679468",),
        layout="csv",
        note="hadrons (h, or label 1) are positive",
    ),
    Entry(
        name="dna",
        title="DNA",
        table=7,
        files=("dna.libsvm",),
        sources=(f"{LIBSVM}/multiclass/dna.scale",),
        home=f"{MULTICLASS}#dna",
        rows=2000,
        features=180,
        positives=464,
        ratio="1:3.31",
        checksums=("5ca440eee7a2ac6c9fd1adf7",),
    ),
    Entry(
        name="kddcup08",
        title="KDDCUP08",
        table=7,
        files=("kddcup08.libsvm",),
        home="https://www.kdd.org/kdd-cup/view/kdd-cup-2008",
        rows=102_294,
        features=117,
        positives=623,
        ratio="1:163.19",
        note="the training data of KDD Cup 2008 are given out after registration only",
    ),
    Entry(
        name="protein-val",
        title="protein.val",
        files=("protein_val.libsvm",),
        sources=(f"{LIBSVM}/multiclass/protein.val.bz2",),
        home=f"{MULTICLASS}#protein",
        rows=2871,
        features=357,
        positive="0",
        positives=1489,
        checksums=("7eee85aba5d721dcc39ce189",),
        stands_for="protein",
        note="the validation part of protein: 2871 of its 17766 rows, 1:0.93",
    ),
    Entry(
        name="sensorless2200",
        title="Sensorless-2200",
        files=("sensorless2200.libsvm",),
        home=f"{UCI}/dataset/325/dataset+for+sensorless+drive+diagnosis",
        rows=2200,
        features=48,
        positives=200,
        checksums=("9a4727497abdf47a32e07ad1",),
        stands_for="sensorless",
        note="200 rows of each of the 11 classes of Sensorless, 1:10",
    ),
    Entry(
        name="kdd99",
        title="KDD99",
        files=("kdd99_normal_r2l_u2r.libsvm",),
        home=f"{UCI}/dataset/130/kdd+cup+1999+data",
        rows=98_456,
        features=118,
        positive="1,2",
        positives=1178,
        checksums=("a08531040d64fa0953036880",),
        max_abs=True,
        stands_for="kddcup08",
        note="from kddcup.data_10_percent: all normal rows (label 0), R2L attacks (1) and U2R attacks "
        "(2) in their order; the 38 columns of numbers, then one column for each protocol (3), service "
        "(66) and flag (11); 1:82.6; when read, columns are divided by their largest absolute value",
    ),
    Entry(
        name="covtype-4",
        title="covtype-4",
        files=("covtype.libsvm", "covtype"),
        home=f"{MULTICLASS}#covtype",
        rows=581_012,
        features=54,
        positive="4",
        positives=2747,
        checksums=("319b065985d8da7181e3ee2d",),
        stands_for="kddcup08",
        note="cover type 4 against the rest, 1:210.5; it takes the file with all 7 labels",
    ),
    Entry(
        name="covtype-36",
        title="covtype-36",
        files=("covtype.libsvm", "covtype"),
        home=f"{MULTICLASS}#covtype",
        rows=581_012,
        features=54,
        positive="3,6",
        positives=53_121,
        checksums=("3e97d585d59ddef590dd2672",),
        stands_for="sensorless",
        note="cover types 3 and 6 against the rest, 1:9.94; it takes the file with all 7 labels",
    ),
    Entry(
        name="sector",
        title="sector",
        files=("sector.libsvm",),
        sources=(
            f"{LIBSVM}/multiclass/sector/sector.scale.bz2",
            f"{LIBSVM}/multiclass/sector/sector.t.scale.bz2",
        ),
        home=f"{MULTICLASS}#sector",
        rows=9619,
        features=55_197,
        positives=85,
        checksums=("9affed9e206e741373939bac",),
        exact=False,
        note="not in the paper: one of 105 classes of web pages against the rest, 1:112; tf-idf",
    ),
    Entry(
        name="news20",
        title="news20",
        files=("news20_multiclass.libsvm",),
        sources=(f"{LIBSVM}/multiclass/news20.bz2",),
        home=f"{MULTICLASS}#news20",
        rows=15_935,
        features=62_061,
        positives=797,
        checksums=("d442db579cf64d18d41d693e",),
        note="not in the paper: one of 20 newsgroups against the rest, 1:19; counts of words",
    ),
)
