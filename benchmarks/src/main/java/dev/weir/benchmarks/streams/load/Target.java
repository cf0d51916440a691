package dev.weir.benchmarks.streams.load;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.net.InetSocketAddress;
import java.util.Arrays;

/**
 * Some streams of one server, with names that go by number from 1 on.
 *
 * @param server where it listens
 * @param prefix what their names begin with
 * @param streams how many
 */
public record Target(InetSocketAddress server, String prefix, int streams) {
  private static final String BASE = "/v1/stream/";
  private static final String TYPE = "application/octet-stream";

  /** The path of a stream. */
  public String path(long number) {
    return BASE + prefix + number;
  }

  /** The head of a request with a body of so many bytes. */
  byte[] head(String method, long number, String type, int bytes) {
    return "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
        .formatted(method, path(number), type, bytes)
        .getBytes(US_ASCII);
  }

  /** A whole request that creates a stream. */
  byte[] creation(long number, String type) {
    return head("PUT", number, type, 0);
  }

  /** The same for bytes of any kind. */
  byte[] creation(long number) {
    return creation(number, TYPE);
  }

  /** A whole append of so many bytes. */
  byte[] append(long number, int bytes) {
    byte[] head = head("POST", number, TYPE, bytes);
    byte[] request = Arrays.copyOf(head, head.length + bytes);
    Arrays.fill(request, head.length, request.length, (byte) 'x');
    return request;
  }
}
