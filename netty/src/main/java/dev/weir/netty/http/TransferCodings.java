package dev.weir.netty.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import java.util.Iterator;

/** Reads {@code Transfer-Encoding} (RFC 9112, section 6.1). */
public final class TransferCodings {
  private TransferCodings() {}

  /**
   * Whether a codec that undoes chunks has undone all that was done to a content on its way. It
   * leaves other codings to the application, and to whoever removes {@code chunked} from the field
   * afterwards a field that says something else than the length beside it: where a request is sent
   * on, that is how requests are smuggled.
   *
   * @return true if there is no such field, or one that says {@code chunked} and nothing else
   */
  public static boolean areUndone(HttpHeaders headers) {
    if (!headers.contains(HttpHeaderNames.TRANSFER_ENCODING)) {
      return true; // Without a list of none, for each response.
    }
    Iterator<? extends CharSequence> fields =
        headers.valueCharSequenceIterator(HttpHeaderNames.TRANSFER_ENCODING);
    return HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(AsciiString.trim(fields.next()))
        && !fields.hasNext();
  }
}
