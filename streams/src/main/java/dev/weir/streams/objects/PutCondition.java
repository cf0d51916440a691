package dev.weir.streams.objects;

/** On what a write depends. */
public sealed interface PutCondition {
  /** Replaces whatever is there. */
  record Always() implements PutCondition {}

  /** Only if there is no object under the key: {@code If-None-Match: *}. */
  record IfAbsent() implements PutCondition {}

  /** Only if the object still has this ETag: {@code If-Match}. */
  record IfMatch(String etag) implements PutCondition {}

  static PutCondition always() {
    return new Always();
  }

  static PutCondition ifAbsent() {
    return new IfAbsent();
  }

  static PutCondition ifMatch(String etag) {
    return new IfMatch(etag);
  }
}
