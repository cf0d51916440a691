package dev.weir.replication.push;

/**
 * Whole chunks that follow each other in the byte space, both ends within: what one request brings.
 *
 * @param isSecondTry whether they have been wrong once
 */
record Part(long first, long last, boolean isSecondTry) {
  long length() {
    return last - first + 1;
  }
}
