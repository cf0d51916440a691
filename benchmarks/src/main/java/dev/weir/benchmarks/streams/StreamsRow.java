package dev.weir.benchmarks.streams;

/** What is done with a server: a row of the tables. */
public enum StreamsRow {
  /** Small appends to one stream. */
  APPEND_1K_1("append-1K-1", Kind.APPEND, 1 << 10, 1, 0),
  /** Small appends to a hundred streams. */
  APPEND_1K_100("append-1K-100", Kind.APPEND, 1 << 10, 100, 0),
  /** Small appends to a thousand streams. */
  APPEND_1K_1000("append-1K-1000", Kind.APPEND, 1 << 10, 1_000, 0),
  /** Small appends to very many streams. */
  APPEND_1K_100000("append-1K-100000", Kind.APPEND, 1 << 10, 100_000, 0),
  /** Large appends to one stream. */
  APPEND_100K_1("append-100K-1", Kind.APPEND, 100 << 10, 1, 0),
  /** Large appends to a hundred streams. */
  APPEND_100K_100("append-100K-100", Kind.APPEND, 100 << 10, 100, 0),
  /** One reader of a long stream. */
  CATCH_UP_1("catch-up-1", Kind.CATCH_UP, 0, 1, 1),
  /** Four readers of a long stream. */
  CATCH_UP_4("catch-up-4", Kind.CATCH_UP, 0, 1, 4),
  /** A hundred readers wait for server-sent events. */
  SSE_100("sse-100", Kind.SSE, 100, 1, 100),
  /** A hundred readers wait by long polls. */
  LONG_POLL_100("long-poll-100", Kind.LONG_POLL, 100, 1, 100),
  /** Small appends to one stream while eight readers read another as fast as they can. */
  BESIDE_8("beside-8-readers", Kind.BESIDE, 1 << 10, 1, 8),
  /** Small appends to a hundred streams, alone and while what is flushed is copied. */
  BESIDE_COPY("beside-copy", Kind.COPIED, 1 << 10, 100, 1);

  private final String label;
  private final Kind kind;
  private final int bytes;
  private final int streams;
  private final int readers;

  /** What kind of work it is. */
  enum Kind {
    /** Appends alone. */
    APPEND,
    /** Reads alone. */
    CATCH_UP,
    /** From an append to server-sent events. */
    SSE,
    /** From an append to answers of long polls. */
    LONG_POLL,
    /** Appends and reads at once. */
    BESIDE,
    /** Appends alone, beside a slow copy, and beside a fast one; by this node alone. */
    COPIED
  }

  StreamsRow(String label, Kind kind, int bytes, int streams, int readers) {
    this.label = label;
    this.kind = kind;
    this.bytes = bytes;
    this.streams = streams;
    this.readers = readers;
  }

  /** Whether other servers have nothing of the kind. */
  boolean isOurs() {
    return kind == Kind.COPIED;
  }

  /** The name in flags and reports. */
  public String label() {
    return label;
  }

  Kind kind() {
    return kind;
  }

  /** Bytes of each append. */
  int bytes() {
    return bytes;
  }

  /** How many streams are appended to, or read. */
  int streams() {
    return streams;
  }

  int readers() {
    return readers;
  }
}
