package dev.weir.lab.cachefragmentation;

/**
 * A log cache and a block cache over one allocator. What is written into them is written for real.
 * Used by one thread.
 */
interface CacheStack extends AutoCloseable {
  /** Adds a record to the tail; false if there is no memory, or nothing may be evicted for it. */
  boolean append(long sequence, long stream, long offset, int bytes);

  /** Records up to this number may be evicted. */
  void flushed(long sequence);

  /** Drops a stream's records. */
  void delete(long stream);

  /** Looks at a stream's newest record, and holds it while 64 others are looked at. */
  void readTail(long stream, long endOffset);

  /** Reads a page of an object; false if there is no memory for it. */
  boolean readPage(int object, int page);

  /** The bytes of records and pages in the caches. */
  long cachedBytes();

  @Override
  void close();
}
