package dev.weir.server;

import static dev.weir.server.HttpCase.http1;
import static dev.weir.server.HttpCase.http2;
import static dev.weir.server.Outcome.answered;
import static dev.weir.server.Outcome.ended;
import static dev.weir.server.Outcome.left;

import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameTypes;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;

/** Clients that send more than they have a reason to, and some that have one. */
final class FloodCases {
  private static final int FRAMES = 3_000;
  private static final int ENDED_STREAM = 1;
  private static final int OPEN_STREAM = 3;
  private static final int NO_STREAM = 99;
  private static final byte[] ONE = ByteBuffer.allocate(4).putInt(1).array();

  private FloodCases() {}

  static Stream<HttpCase> rows() {
    return Stream.concat(frames(), others());
  }

  private static Stream<HttpCase> frames() {
    byte[] push = Http2Client.setting(Http2CodecUtil.SETTINGS_ENABLE_PUSH, 0);
    return Stream.of(
        flood("pings", Http2FrameTypes.PING, 0, 0, new byte[8]),
        flood("answers to no ping", Http2FrameTypes.PING, Http2Client.ACK, 0, new byte[8]),
        flood("settings", Http2FrameTypes.SETTINGS, 0, 0, push),
        flood("data that is empty", Http2FrameTypes.DATA, 0, OPEN_STREAM, new byte[0]),
        flood(
            "data of a stream that has ended", Http2FrameTypes.DATA, 0, ENDED_STREAM, new byte[1]),
        flood("priorities", Http2FrameTypes.PRIORITY, 0, OPEN_STREAM, new byte[5]),
        flood("priorities of no stream", Http2FrameTypes.PRIORITY, 0, NO_STREAM, new byte[5]),
        flood("windows of a stream", Http2FrameTypes.WINDOW_UPDATE, 0, OPEN_STREAM, ONE),
        flood(
            "windows of a stream that has ended",
            Http2FrameTypes.WINDOW_UPDATE,
            0,
            ENDED_STREAM,
            ONE),
        flood("windows of the connection", Http2FrameTypes.WINDOW_UPDATE, 0, 0, ONE),
        flood(
            "resets of a stream that has ended", Http2FrameTypes.RST_STREAM, 0, ENDED_STREAM, ONE),
        flood("farewells", Http2FrameTypes.GO_AWAY, 0, 0, new byte[8]),
        flood("frames of an unknown kind", /* type= */ 0x77, 0, 0, new byte[8]));
  }

  /** Its stream 1 has ended, its stream 3 is open. */
  private static HttpCase flood(String name, int type, int flags, int stream, byte[] payload) {
    byte[] frame = Http2Client.frame(type, flags, stream, payload);
    return http2(
        "a flood of " + name,
        client -> {
          client.http2().get("/");
          Http2Phase.BODY_THAT_NOBODY_READS.begin(client.http2());
          try {
            for (int i = 0; i < FRAMES; i++) {
              client.http2().sendRaw(frame);
            }
          } catch (SocketException | SSLException alreadyEnded) {
            // By the frames before.
          }
          return ((Http2CaseClient) client).outcomeOfFlood();
        },
        ended(Http2Error.ENHANCE_YOUR_CALM));
  }

  private static void sendWithoutEnd(RawClient client, String request) {
    try {
      while (true) {
        client.send(request.repeat(1_000));
      }
    } catch (IOException left) {
      // By then the client is gone.
    }
  }

  private static Stream<HttpCase> others() {
    return Stream.of(
        http2(
            "requests that are reset at once",
            client -> {
              client.http2().get("/");
              try {
                for (int i = 0; i < 300; i++) {
                  int stream =
                      client.http2().request(/* last= */ true, "GET", CaseClient.BIG_STREAM);
                  client.http2().reset(stream, (int) Http2Error.CANCEL.code());
                }
              } catch (SocketException | SSLException alreadyEnded) {
                // By the resets before.
              }
              return ((Http2CaseClient) client).outcomeOfFlood();
            },
            ended(Http2Error.ENHANCE_YOUR_CALM)),
        http2(
            "a thousand requests, each weighed",
            client -> {
              for (int i = 0; i < 1_000; i++) {
                int stream = client.http2().request(/* last= */ true, "HEAD", CaseClient.STREAM);
                client.http2().send(Http2FrameTypes.PRIORITY, 0, stream, new byte[5]);
                if (client.http2().await(stream).status() != 200) {
                  break;
                }
              }
              client.ask("HEAD", CaseClient.STREAM);
              return client.outcome();
            },
            answered(200)),
        http1(
            "a thousand requests sent ahead",
            client -> {
              String request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
              client.raw().send(request.repeat(1_000));
              for (int i = 1; i < 1_000; i++) {
                client.raw().receive();
              }
              return client.outcome();
            },
            answered(200)),
        http1(
            "requests without end whose answers nobody reads",
            client -> {
              // More than the node may take in, and than the sockets hold.
              String request = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
              CompletableFuture<Void> sender =
                  CompletableFuture.runAsync(() -> sendWithoutEnd(client.raw(), request));
              client.awaitBeginning();
              client.vanish();
              sender.join();
              return client.outcome();
            },
            left()));
  }
}
