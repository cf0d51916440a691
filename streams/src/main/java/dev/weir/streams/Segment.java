package dev.weir.streams;

/**
 * A file that holds a stretch of a stream. It ends where the next segment, or the stream, ends; its
 * byte 0 is the stream's byte {@code startOffset}.
 *
 * @param fileId the file's number; forks share the files of their source
 * @param startOffset position in the stream, bytes
 * @param growing whether small appends of this stream may be added to the file; at most the last
 *     segment of a stream grows, and never one taken over from a fork's source
 */
record Segment(long fileId, long startOffset, boolean growing) {
  Segment sealed() {
    return growing ? new Segment(fileId, startOffset, /* growing= */ false) : this;
  }
}
