package dev.weir.server;

import static dev.weir.server.HttpCase.both;
import static dev.weir.server.Outcome.answered;
import static dev.weir.server.Outcome.last;

import java.util.stream.Stream;

/** Nothing can be stored: who reads is served, who appends is told so. */
final class FullDiskCases {
  private FullDiskCases() {}

  static Stream<HttpCase> rows() {
    return Stream.of(
            append("a small append", 5, answered(507), "content-length", "5"),
            // What is still to come of it is not waited for.
            append("a long append", 1_000_000, last(507), "content-length", "1000000"),
            append("an append of unknown length", 1_000_000, last(507)),
            asked("a new stream", "PUT", "/v1/stream/new", 507),
            asked("a read", "GET", CaseClient.STREAM, 200))
        .map(row -> row.on(CaseSetting.DISK_IS_FULL));
  }

  private static HttpCase append(String name, int bytes, Outcome http1, String... headers) {
    return both(
        name + " on a full disk",
        client -> {
          client.beginAppend(CaseClient.STREAM, headers);
          client.body(new byte[bytes], /* last= */ true);
          return client.outcome();
        },
        http1,
        answered(507));
  }

  private static HttpCase asked(String name, String method, String path, int status) {
    return both(
        name + " on a full disk",
        client -> {
          client.ask(method, path);
          return client.outcome();
        },
        answered(status),
        answered(status));
  }
}
