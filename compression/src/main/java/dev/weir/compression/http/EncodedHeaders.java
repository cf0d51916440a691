package dev.weir.compression.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.AsciiString;
import java.util.AbstractMap.SimpleImmutableEntry;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a response whose content is another than the application's: the fields that it
 * gave, but for those that are no longer true, and some more.
 *
 * <p>They are a copy, because an application may use one head for many responses; and most are read
 * once, in order, by what writes them to the wire. So they are one array, a fifth of the objects of
 * Netty's hash table, until somebody wants more of them than that: then they become such a table,
 * of the application's kind.
 */
final class EncodedHeaders extends HttpHeaders {
  private static final String WEAK = "W/";

  /** How many fields may be put beside the application's: one that varies, a coding, a length. */
  private static final int MORE = 3;

  /** Of what kind they are to be once they are changed. */
  private final HttpHeaders source;

  /** Names and values in turns. */
  private final CharSequence[] fields;

  /** How much of the array is used. */
  private int end;

  private @Nullable HttpHeaders table;

  private EncodedHeaders(HttpHeaders source) {
    this.source = source;
    this.fields = new CharSequence[2 * (source.size() + MORE)];
  }

  /**
   * The fields of a response that are true of its content in a coding: it varies, has no length
   * yet, no digest, and a weak tag; and no part of it is to be had, since parts come uncompressed.
   */
  static EncodedHeaders of(HttpHeaders source) {
    EncodedHeaders headers = new EncodedHeaders(source);
    var each = source.iteratorCharSequence();
    while (each.hasNext()) {
      var field = each.next();
      CharSequence name = field.getKey();
      if (is(name, HttpHeaderNames.ETAG)) {
        headers.put(name, weak(field.getValue()));
      } else if (!is(name, HttpHeaderNames.CONTENT_LENGTH)
          && !is(name, HttpHeaderNames.ACCEPT_RANGES)
          && !Digests.isOne(name)) {
        headers.put(name, field.getValue());
      }
    }
    if (!varies(source)) {
      headers.put(HttpHeaderNames.VARY, HttpHeaderNames.ACCEPT_ENCODING);
    }
    return headers;
  }

  /** Whether other clients are known to get the response otherwise. */
  static boolean varies(HttpHeaders headers) {
    return headers.contains(HttpHeaderNames.VARY)
        && (headers.containsValue(HttpHeaderNames.VARY, HttpHeaderNames.ACCEPT_ENCODING, true)
            || headers.containsValue(HttpHeaderNames.VARY, "*", true));
  }

  /** The encoded content is not the same byte by byte, so a strong tag is another's. */
  private static CharSequence weak(CharSequence tag) {
    boolean isWeak = tag.length() > 1 && tag.charAt(0) == 'W' && tag.charAt(1) == '/';
    return isWeak ? tag : WEAK + tag;
  }

  private static boolean is(CharSequence name, CharSequence other) {
    return AsciiString.contentEqualsIgnoreCase(name, other);
  }

  /** Adds a field that is not there, of {@link #MORE} at most; before anybody else has them. */
  EncodedHeaders put(CharSequence name, CharSequence value) {
    fields[end++] = name;
    fields[end++] = value;
    return this;
  }

  /** Takes a field out, however often it is there; before anybody else has them. */
  EncodedHeaders drop(CharSequence name) {
    int kept = 0;
    for (int at = 0; at < end; at += 2) {
      if (!is(fields[at], name)) {
        fields[kept++] = fields[at];
        fields[kept++] = fields[at + 1];
      }
    }
    end = kept;
    return this;
  }

  private HttpHeaders table() {
    HttpHeaders made = table;
    if (made == null) {
      made = source.copy().clear();
      for (int at = 0; at < end; at += 2) {
        made.add(fields[at], fields[at + 1]);
      }
      table = made;
    }
    return made;
  }

  private int indexOf(CharSequence name) {
    for (int at = 0; at < end; at += 2) {
      if (is(fields[at], name)) {
        return at;
      }
    }
    return -1;
  }

  // What is read on the way to the wire.

  @Override
  public @Nullable String get(String name) {
    return get((CharSequence) name);
  }

  @Override
  public @Nullable String get(CharSequence name) {
    if (table != null) {
      return table.get(name);
    }
    int at = indexOf(name);
    return at < 0 ? null : fields[at + 1].toString();
  }

  @Override
  public List<String> getAll(String name) {
    if (table != null) {
      return table.getAll(name);
    }
    List<String> values = new ArrayList<>(1);
    for (int at = 0; at < end; at += 2) {
      if (is(fields[at], name)) {
        values.add(fields[at + 1].toString());
      }
    }
    return values;
  }

  @Override
  public boolean contains(String name) {
    return contains((CharSequence) name);
  }

  @Override
  public boolean contains(CharSequence name) {
    return table == null ? indexOf(name) >= 0 : table.contains(name);
  }

  @Override
  public boolean isEmpty() {
    return size() == 0;
  }

  @Override
  public int size() {
    return table == null ? end / 2 : table.size();
  }

  @Override
  public Iterator<Map.Entry<CharSequence, CharSequence>> iteratorCharSequence() {
    return table == null ? new Fields() : table.iteratorCharSequence();
  }

  /** Those that there were when it was made. */
  private final class Fields implements Iterator<Map.Entry<CharSequence, CharSequence>> {
    private int at;

    @Override
    public boolean hasNext() {
      return at < end;
    }

    @Override
    public Map.Entry<CharSequence, CharSequence> next() {
      if (at >= end) {
        throw new NoSuchElementException();
      }
      at += 2;
      return new SimpleImmutableEntry<>(fields[at - 2], fields[at - 1]);
    }
  }

  // All else.

  @Override
  public @Nullable Integer getInt(CharSequence name) {
    return table().getInt(name);
  }

  @Override
  public int getInt(CharSequence name, int defaultValue) {
    return table().getInt(name, defaultValue);
  }

  @Override
  public @Nullable Short getShort(CharSequence name) {
    return table().getShort(name);
  }

  @Override
  public short getShort(CharSequence name, short defaultValue) {
    return table().getShort(name, defaultValue);
  }

  @Override
  public @Nullable Long getTimeMillis(CharSequence name) {
    return table().getTimeMillis(name);
  }

  @Override
  public long getTimeMillis(CharSequence name, long defaultValue) {
    return table().getTimeMillis(name, defaultValue);
  }

  @Override
  public List<Map.Entry<String, String>> entries() {
    return table().entries();
  }

  @Override
  @Deprecated
  public Iterator<Map.Entry<String, String>> iterator() {
    return table().iterator();
  }

  @Override
  public Set<String> names() {
    return table().names();
  }

  @Override
  public HttpHeaders add(String name, Object value) {
    table().add(name, value);
    return this;
  }

  @Override
  public HttpHeaders add(String name, Iterable<?> values) {
    table().add(name, values);
    return this;
  }

  @Override
  public HttpHeaders addInt(CharSequence name, int value) {
    table().addInt(name, value);
    return this;
  }

  @Override
  public HttpHeaders addShort(CharSequence name, short value) {
    table().addShort(name, value);
    return this;
  }

  @Override
  public HttpHeaders set(String name, Object value) {
    table().set(name, value);
    return this;
  }

  @Override
  public HttpHeaders set(String name, Iterable<?> values) {
    table().set(name, values);
    return this;
  }

  @Override
  public HttpHeaders setInt(CharSequence name, int value) {
    table().setInt(name, value);
    return this;
  }

  @Override
  public HttpHeaders setShort(CharSequence name, short value) {
    table().setShort(name, value);
    return this;
  }

  @Override
  public HttpHeaders remove(String name) {
    table().remove(name);
    return this;
  }

  @Override
  public HttpHeaders clear() {
    table().clear();
    return this;
  }

  @Override
  public HttpHeaders copy() {
    return table().copy();
  }
}
