package dev.weir.compression.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class EncodedHeadersTest {
  private static final int SEEDS = 5_000;

  /** Names that mean something here, and some that do not, in whatever case. */
  private static final String[] NAMES = {
    "Content-Length",
    "content-length",
    "ETag",
    "etag",
    "Vary",
    "vary",
    "Digest",
    "Content-MD5",
    "Repr-Digest",
    "content-digest",
    "Accept-Ranges",
    "Content-Type",
    "X-A",
    "x-a",
    "Connection",
    "Transfer-Encoding"
  };

  private static final String[] VALUES = {
    "1",
    "42",
    "\"tag\"",
    "W/\"tag\"",
    "*",
    "Accept-Encoding",
    "Origin, accept-encoding",
    "Origin",
    "chunked",
    "close",
    ""
  };

  @Test
  void saysWhatIsTrueOfTheEncodedContent() {
    HttpHeaders source =
        new DefaultHttpHeaders()
            .add("Content-Length", 10)
            .add("ETag", "\"a\"")
            .add("Digest", "sha-256=x")
            .add("Accept-Ranges", "bytes")
            .add("Content-Type", "text/plain");
    assertThat(inOrder(EncodedHeaders.of(source)))
        .containsExactly("ETag: W/\"a\"", "Content-Type: text/plain", "vary: accept-encoding");
    assertThat(inOrder(source)).hasSize(5).contains("ETag: \"a\"");
  }

  @Test
  void aTagThatIsWeakAlreadyAndAVaryingResponseStayAsTheyAre() {
    HttpHeaders source = new DefaultHttpHeaders().add("etag", "W/\"a\"").add("Vary", "*");
    assertThat(inOrder(EncodedHeaders.of(source))).containsExactly("etag: W/\"a\"", "Vary: *");
  }

  @Test
  void whatIsAddedLaterIsCheckedAsTheApplicationsOwn() {
    HttpHeaders strict = EncodedHeaders.of(new DefaultHttpHeaders().add("x", "y"));
    assertThatThrownBy(() -> strict.add("an odd name", "v"))
        .isInstanceOf(IllegalArgumentException.class);
    HttpHeaders lax =
        EncodedHeaders.of(
            DefaultHttpHeadersFactory.headersFactory().withValidation(false).newHeaders());
    lax.add("an odd name", "v");
    assertThat(lax.get("an odd name")).isEqualTo("v");
  }

  @Test
  void theIteratorEndsAndItsFieldsCanBeKept() {
    Iterator<Map.Entry<CharSequence, CharSequence>> fields =
        EncodedHeaders.of(new DefaultHttpHeaders().add("x", "y")).iteratorCharSequence();
    Map.Entry<CharSequence, CharSequence> first = fields.next();
    Map.Entry<CharSequence, CharSequence> second = fields.next();
    assertThat(fields.hasNext()).isFalse();
    assertThatThrownBy(fields::next).isInstanceOf(NoSuchElementException.class);
    assertThat(first).hasToString("x=y");
    assertThat(second).hasToString("vary=accept-encoding");
  }

  @Test
  void timesCanBeRead() {
    HttpHeaders headers =
        EncodedHeaders.of(new DefaultHttpHeaders().add("Date", "Sun, 06 Nov 1994 08:49:37 GMT"));
    assertThat(headers.getTimeMillis("date")).isEqualTo(784_111_777_000L);
    assertThat(headers.getTimeMillis("date", 5)).isEqualTo(784_111_777_000L);
    assertThat(headers.getTimeMillis("expires")).isNull();
    assertThat(headers.getTimeMillis("expires", 5)).isEqualTo(5);
  }

  /** Against Netty's headers, changed as RFC 9110 has it, whatever is asked of both afterwards. */
  @Test
  void areAsNettysHeadersWouldBe() {
    for (long seed = 0; seed < SEEDS; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      HttpHeaders source = new DefaultHttpHeaders();
      for (int fields = random.nextInt(8); fields > 0; fields--) {
        source.add(one(NAMES, random), one(VALUES, random));
      }
      EncodedHeaders tested = EncodedHeaders.of(source);
      HttpHeaders model = model(source);
      if (random.nextBoolean()) {
        tested.drop("transfer-encoding").put("transfer-encoding", "chunked");
        model.set("transfer-encoding", "chunked");
      }
      check(seed, tested, model);
      for (int changes = random.nextInt(4); changes > 0; changes--) {
        change(tested, model, random);
        check(seed, tested, model);
      }
    }
  }

  private static String one(String[] of, SplittableRandom random) {
    return of[random.nextInt(of.length)];
  }

  private static HttpHeaders model(HttpHeaders source) {
    HttpHeaders model = new DefaultHttpHeaders();
    for (Map.Entry<String, String> field : source) {
      switch (field.getKey().toLowerCase(Locale.ROOT)) {
        case "content-length", "digest", "content-md5", "repr-digest", "content-digest" -> {}
        case "accept-ranges" -> {}
        case "etag" -> {
          String tag = field.getValue();
          model.add(field.getKey(), tag.startsWith("W/") ? tag : "W/" + tag);
        }
        default -> model.add(field.getKey(), field.getValue());
      }
    }
    boolean varies =
        source.getAll("vary").stream()
            .anyMatch(value ->
                value.equals("*") || value.toLowerCase(Locale.ROOT).endsWith("accept-encoding"));
    return varies ? model : model.add("vary", "accept-encoding");
  }

  private static void change(HttpHeaders tested, HttpHeaders model, SplittableRandom random) {
    String name = one(NAMES, random);
    String value = one(VALUES, random);
    int what = random.nextInt(10);
    for (HttpHeaders headers : List.of(tested, model)) {
      HttpHeaders returned =
          switch (what) {
            case 0 -> headers.add(name, value);
            case 1 -> headers.add(name, List.of(value, "second"));
            case 2 -> headers.addInt(name, 7);
            case 3 -> headers.addShort(name, (short) 8);
            case 4 -> headers.set(name, value);
            case 5 -> headers.set(name, List.of(value, "second"));
            case 6 -> headers.setInt(name, 9);
            case 7 -> headers.setShort(name, (short) 10);
            case 8 -> headers.remove(name);
            default -> headers.clear();
          };
      assertThat(returned).isSameAs(headers);
    }
  }

  private static void check(long seed, HttpHeaders tested, HttpHeaders model) {
    String run = "seed " + seed;
    // First what does not change how they are kept.
    assertThat(inOrder(tested)).as(run).containsExactlyInAnyOrderElementsOf(inOrder(model));
    assertThat(tested.size()).as(run).isEqualTo(model.size());
    assertThat(tested.isEmpty()).as(run).isEqualTo(model.isEmpty());
    for (String name : NAMES) {
      assertThat(tested.get(name)).as(run).isEqualTo(model.get(name));
      assertThat(tested.get(new StringBuilder(name))).as(run).isEqualTo(model.get(name));
      assertThat(tested.getAll(name)).as(run).isEqualTo(model.getAll(name));
      assertThat(tested.contains(name)).as(run).isEqualTo(model.contains(name));
      assertThat(tested.containsValue(name, "accept-encoding", true))
          .as(run)
          .isEqualTo(model.containsValue(name, "accept-encoding", true));
    }
    if (seed % 2 == 0) {
      checkTable(run, tested, model);
    }
  }

  private static void checkTable(String run, HttpHeaders tested, HttpHeaders model) {
    assertThat(texts(tested.entries()))
        .as(run)
        .containsExactlyInAnyOrderElementsOf(texts(model.entries()));
    assertThat(Set.copyOf(tested.names())).as(run).isEqualTo(Set.copyOf(model.names()));
    assertThat(inOrder(tested.copy())).as(run).isEqualTo(inOrder(tested));
    for (String name : NAMES) {
      assertThat(tested.getInt(name)).as(run).isEqualTo(model.getInt(name));
      assertThat(tested.getInt(name, 5)).as(run).isEqualTo(model.getInt(name, 5));
      assertThat(tested.getShort(name)).as(run).isEqualTo(model.getShort(name));
      assertThat(tested.getShort(name, (short) 5))
          .as(run)
          .isEqualTo(model.getShort(name, (short) 5));
    }
  }

  private static List<String> inOrder(HttpHeaders headers) {
    List<Map.Entry<CharSequence, CharSequence>> fields = new ArrayList<>();
    headers.iteratorCharSequence().forEachRemaining(fields::add);
    return texts(fields);
  }

  private static List<String> texts(
      List<? extends Map.Entry<? extends CharSequence, ? extends CharSequence>> fields) {
    return fields.stream().map(field -> field.getKey() + ": " + field.getValue()).toList();
  }
}
