package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * A client that appends numbered records to one stream. One that is an idempotent producer sends a
 * record again until it is answered, so each is there once, in order. One that is none goes on with
 * the next, so one that was not answered may be there or not. One thread's at a time.
 */
final class KillClient {
  private final HttpClient http;
  private final int id;
  private final String stream;
  private final boolean isProducer;
  private final Set<Long> acknowledged = new HashSet<>();
  private long next;
  private boolean isPending;
  private long sentAgain;
  private long alreadyThere;

  KillClient(HttpClient http, int id, String stream, boolean isProducer) {
    this.http = http;
    this.id = id;
    this.stream = stream;
    this.isProducer = isProducer;
  }

  int id() {
    return id;
  }

  String stream() {
    return stream;
  }

  long acknowledged() {
    return acknowledged.size();
  }

  /** Records that were sent a second time. */
  long sentAgain() {
    return sentAgain;
  }

  /** Of these, how many the node had, whose answer was lost. */
  long alreadyThere() {
    return alreadyThere;
  }

  /** Sends what was not answered, if it may be sent again. */
  void sendPending(NodeProcess node) throws IOException, InterruptedException {
    if (isPending && isProducer) {
      sentAgain++;
      append(node);
    }
  }

  /** Sends the next record; false where there was no answer that it is stored. */
  boolean append(NodeProcess node) throws IOException, InterruptedException {
    long number = next;
    isPending = true;
    if (!isProducer) {
      next++;
    }
    int status;
    try {
      status =
          http.send(request(node, number), HttpResponse.BodyHandlers.discarding()).statusCode();
    } catch (IOException noAnswer) {
      return false;
    }
    if (status >= 500) {
      return false;
    }
    assertThat(status).isIn(isProducer ? List.of(200, 204) : List.of(204));
    alreadyThere += isProducer && status == 204 ? 1 : 0;
    acknowledged.add(number);
    isPending = false;
    next = number + 1;
    return true;
  }

  private HttpRequest request(NodeProcess node, long number) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(node.uri("/v1/stream/" + stream))
            .header("Content-Type", "application/octet-stream")
            .POST(HttpRequest.BodyPublishers.ofByteArray(KillStream.record(id, number)));
    if (isProducer) {
      request
          .header("Producer-Id", "producer-" + id)
          .header("Producer-Epoch", "0")
          .header("Producer-Seq", Long.toString(number));
    }
    return request.build();
  }

  /** Whether these are the records of this client in its stream, in their order there. */
  void check(List<Long> found) {
    assertThat(found)
        .as("records of client %d: in order, none twice", id)
        .isSorted()
        .doesNotHaveDuplicates();
    assertThat(new HashSet<>(found)).as("records of client %d", id).containsAll(acknowledged);
    if (isProducer) {
      assertThat((long) found.size())
          .as("records of producer %d: those acknowledged, and one at most that was not", id)
          .isBetween((long) acknowledged.size(), acknowledged.size() + (isPending ? 1L : 0L));
    }
  }
}
