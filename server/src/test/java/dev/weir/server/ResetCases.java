package dev.weir.server;

import static dev.weir.server.HttpCase.both;
import static dev.weir.server.HttpCase.http1;
import static dev.weir.server.HttpCase.http2;
import static dev.weir.server.Outcome.answered;
import static dev.weir.server.Outcome.left;

import io.netty.handler.codec.http2.Http2Error;
import java.util.Arrays;
import java.util.stream.Stream;

/** Clients that give a request up, or go away, at any point of an exchange. */
final class ResetCases {
  private ResetCases() {}

  /** How far an exchange has come when its client does so. */
  private enum Phase {
    HEAD_OF_AN_UPLOAD {
      @Override
      void begin(CaseClient client) throws Exception {
        client.beginAppend(CaseClient.STREAM);
      }
    },
    BODY_UNDER_WAY {
      @Override
      void begin(CaseClient client) throws Exception {
        client.beginAppend(CaseClient.STREAM);
        client.body(new byte[10_000], /* last= */ false);
      }
    },
    BODY_IN_A_FILE {
      @Override
      void begin(CaseClient client) throws Exception {
        client.beginAppend(CaseClient.STREAM);
        client.body(new byte[500_000], /* last= */ false);
      }
    },
    BODY_IN_A_CODING {
      @Override
      void begin(CaseClient client) throws Exception {
        byte[] body = Coded.encode("gzip", new byte[100_000]);
        client.beginAppend(CaseClient.STREAM, "content-encoding", "gzip");
        client.body(Arrays.copyOf(body, body.length - 10), /* last= */ false);
      }
    },
    ANSWER_UNDER_WAY {
      @Override
      void begin(CaseClient client) throws Exception {
        client.ask("GET", CaseClient.BIG_STREAM + "?offset=-1");
        client.awaitBeginning();
      }
    },
    ANSWER_IN_A_CODING_UNDER_WAY {
      @Override
      void begin(CaseClient client) throws Exception {
        client.ask("GET", CaseClient.BIG_STREAM + "?offset=-1", "accept-encoding", "gzip");
        client.awaitBeginning();
      }
    },
    LONG_POLL {
      @Override
      void begin(CaseClient client) throws Exception {
        client.ask("GET", CaseClient.STREAM + "?offset=now&live=long-poll");
      }
    },
    EVENTS {
      @Override
      void begin(CaseClient client) throws Exception {
        client.ask("GET", CaseClient.STREAM + "?offset=now&live=sse");
        client.awaitBeginning();
      }
    },
    EVENTS_UNDER_WAY {
      @Override
      void begin(CaseClient client) throws Exception {
        client.ask("GET", CaseClient.BIG_STREAM + "?offset=-1&live=sse");
        client.awaitBeginning();
      }
    },
    CONSOLE {
      @Override
      void begin(CaseClient client) throws Exception {
        client.ask("GET", "/_weir/events");
        client.awaitBeginning();
      }
    };

    abstract void begin(CaseClient client) throws Exception;

    String text() {
      return name().toLowerCase(java.util.Locale.ROOT).replace('_', ' ');
    }
  }

  static Stream<HttpCase> rows() {
    return Stream.concat(
        Arrays.stream(Phase.values()).flatMap(ResetCases::rows),
        Stream.of(
            http2(
                "giving up: a body that nobody reads",
                client -> {
                  int stream = Http2Phase.BODY_THAT_NOBODY_READS.begin(client.http2());
                  client.http2().reset(stream, (int) Http2Error.CANCEL.code());
                  return client.outcome();
                },
                answered(0)),
            http2(
                "vanishing: a body that nobody reads",
                client -> {
                  Http2Phase.BODY_THAT_NOBODY_READS.begin(client.http2());
                  client.vanish();
                  return left();
                },
                left()),
            http1(
                "vanishing behind requests that were sent ahead",
                client -> {
                  String get =
                      "GET " + CaseClient.BIG_STREAM + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
                  client.raw().send(get.repeat(10));
                  client.awaitBeginning();
                  client.vanish();
                  return left();
                },
                left())));
  }

  private static Stream<HttpCase> rows(Phase phase) {
    return Stream.of(
        both(
            "giving up: " + phase.text(),
            client -> {
              phase.begin(client);
              client.cancel();
              return client.outcome();
            },
            left(),
            // There is no answer, and the connection serves others.
            answered(0)),
        both(
            "vanishing: " + phase.text(),
            client -> {
              phase.begin(client);
              client.vanish();
              return left();
            },
            left(),
            left()),
        both(
            "vanishing once all is read: " + phase.text(),
            client -> {
              phase.begin(client);
              if (phase != Phase.ANSWER_UNDER_WAY) {
                client.awaitSeen();
              }
              client.vanish();
              return left();
            },
            left(),
            left()));
  }
}
