package dev.weir.streams.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonFlattenerTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{\"a\":1}|{\"a\":1},",
        " {\"a\" : 1} |{\"a\" : 1},",
        "[1,2]|1,2,",
        "[ 1 , 2 ]|1,2,",
        "[[1, 2],[3]]|[1, 2],[3],",
        "[[[1,2,3]]]|[[1,2,3]],",
        "12.5e-3|12.5e-3,",
        "true|true,",
        "\"é\\u00e9\\n\"|\"é\\u00e9\\n\",",
        "[{\"x\":[],\"y\":{}}]|{\"x\":[],\"y\":{}},",
        "[]|``",
        "[ ]|``"
      })
  void messagesAreFollowedByCommasWhereverTheBodyIsSplit(String body, String expected)
      throws ProtocolException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    for (int pieceBytes = 1; pieceBytes <= bytes.length; pieceBytes++) {
      assertThat(flatten(bytes, pieceBytes)).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "}",
        "[",
        "[1,]",
        "[,1]",
        "{\"a\"}",
        "{\"a\":}",
        "{a:1}",
        "{\"a\":1,}",
        "01",
        "1.",
        "-",
        "1e",
        "tru",
        "nul1",
        "\"abc",
        "\"\\x\"",
        "\"\\u12g4\"",
        "1 2",
        "[1] 2",
        "[1}",
        "{\"a\":1]",
        ":",
        ",",
        "\"a\nb\"",
        "not json",
        " "
      })
  void whatIsNoJsonIsRefused(String body) {
    assertThatThrownBy(() -> flatten(body.getBytes(StandardCharsets.UTF_8), 1))
        .isInstanceOf(ProtocolException.class)
        .hasMessageContaining("invalid JSON");
  }

  @Test
  void aStringThatIsNotUtf8IsRefused() {
    for (byte[] body :
        new byte[][] {
          {'"', (byte) 0xc0, (byte) 0x80, '"'},
          {'"', (byte) 0xff, '"'},
          {'"', (byte) 0xe2, (byte) 0x82, '"'},
          {'"', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '"'}
        }) {
      assertThatThrownBy(() -> flatten(body, body.length)).isInstanceOf(ProtocolException.class);
    }
  }

  @Test
  void depthIsLimited() {
    byte[] body = "[".repeat(JsonFlattener.MAX_DEPTH + 1).getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> flatten(body, 7)).hasMessageContaining("levels");
  }

  @Test
  void messagesAreFoundAgain() throws ProtocolException {
    byte[] stored = "{\"a\":\"x,]\\\"\"},[1,2],3,".getBytes(StandardCharsets.UTF_8);
    assertThat(bytesOf(stored, 1)).isEqualTo("{\"a\":\"x,]\\\"\"},".length());
    assertThat(bytesOf(stored, 2)).isEqualTo(stored.length - 2);
    assertThat(bytesOf(stored, 3)).isEqualTo(stored.length);
    assertThat(new JsonMessageCounter(4).feed(ByteBuffer.wrap(stored))).isFalse();
  }

  private static long bytesOf(byte[] stored, long messages) {
    JsonMessageCounter counter = new JsonMessageCounter(messages);
    assertThat(counter.feed(ByteBuffer.wrap(stored))).isTrue();
    return counter.bytes();
  }

  private static String flatten(byte[] body, int pieceBytes) throws ProtocolException {
    JsonFlattener flattener = new JsonFlattener();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (int i = 0; i < body.length; i += pieceBytes) {
      ByteBuffer piece = ByteBuffer.wrap(body.clone(), i, Math.min(pieceBytes, body.length - i));
      flattener.feed(piece);
      out.write(piece.array(), piece.position(), piece.remaining());
    }
    if (flattener.finish()) {
      out.write(',');
    }
    return out.toString(StandardCharsets.UTF_8);
  }
}
