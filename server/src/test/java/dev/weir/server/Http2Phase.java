package dev.weir.server;

import java.io.IOException;

/** How far a stream of HTTP/2 has come. */
enum Http2Phase {
  HEAD_OF_AN_UPLOAD,
  BODY_UNDER_WAY,
  BODY_IN_A_FILE,
  BODY_THAT_NOBODY_READS,
  ANSWER_UNDER_WAY,
  LONG_POLL,
  EVENTS_AT_THE_TAIL,
  EVENTS_UNDER_WAY,
  CONSOLE;

  private static final String[] TYPE = {"content-type", "text/plain"};

  /** Brings a new stream there; the node has seen all that was sent when this returns. */
  int begin(Http2Client client) throws IOException {
    int stream = send(client);
    client.roundTrip();
    return stream;
  }

  private int send(Http2Client client) throws IOException {
    return switch (this) {
      case HEAD_OF_AN_UPLOAD -> upload(client);
      case BODY_UNDER_WAY -> {
        int stream = upload(client);
        client.data(stream, new byte[10_000], /* last= */ false);
        yield stream;
      }
      case BODY_IN_A_FILE -> {
        int stream = upload(client);
        for (int i = 0; i < 20; i++) {
          client.awaitWindow(stream, 16_000);
          client.data(stream, new byte[16_000], /* last= */ false);
        }
        yield stream;
      }
      case BODY_THAT_NOBODY_READS -> {
        int stream = client.request(/* last= */ false, "GET", "/v1/stream/a?offset=now&live=sse");
        client.data(stream, new byte[60_000], /* last= */ false);
        client.awaitText(stream, "upToDate");
        yield stream;
      }
      case ANSWER_UNDER_WAY -> get(client, "/v1/stream/big?offset=-1", "zzz");
      case EVENTS_UNDER_WAY -> get(client, "/v1/stream/big?offset=-1&live=sse", "zzz");
      case LONG_POLL -> get(client, "/v1/stream/a?offset=now&live=long-poll", "");
      case EVENTS_AT_THE_TAIL -> get(client, "/v1/stream/a?offset=now&live=sse", "upToDate");
      case CONSOLE -> get(client, "/_weir/events", "event: view");
    };
  }

  private static int upload(Http2Client client) throws IOException {
    return client.request(/* last= */ false, "POST", "/v1/stream/a", TYPE);
  }

  private static int get(Http2Client client, String path, String awaited) throws IOException {
    int stream = client.request(/* last= */ true, "GET", path);
    client.awaitText(stream, awaited);
    return stream;
  }
}
