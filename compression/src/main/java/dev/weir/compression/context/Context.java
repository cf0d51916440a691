package dev.weir.compression.context;

/** Native memory with which streams are compressed or decompressed, one after the other. */
public interface Context {
  /** What it takes, in bytes: what its budget is charged, and so an estimate from above. */
  long bytes();

  /** Gives the memory back, and the charge. Further calls do nothing; nothing else may follow. */
  void destroy();
}
