package capture;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Clients of the gateway: 48 that call its API, 24 that read documents, or 200 sockets that talk
 * and listen.
 */
public final class Load {
  private static final int CALLERS = 48;
  private static final int READERS = 24;
  private static final int SOCKETS = 200;
  private static final AtomicLong ANSWERS = new AtomicLong();
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Load() {}

  /** Arguments: {@code api}, {@code document} or {@code socket}, the gateway's port, seconds. */
  public static void main(String[] args) throws Exception {
    String load = args[0];
    int count = load.equals("api") ? CALLERS : load.equals("document") ? READERS : SOCKETS;
    String gateway = "127.0.0.1:" + args[1];
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Long.parseLong(args[2]));
    List<Future<?>> clients = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < count; i++) {
        Sizes sizes = new Sizes(1_000 + i);
        clients.add(
            threads.submit(
                () -> {
                  switch (load) {
                    case "api" -> call("http://" + gateway, sizes, end);
                    case "document" -> read("http://" + gateway + "/document", end);
                    default -> talk("ws://" + gateway, sizes, end);
                  }
                  return null;
                }));
      }
    }
    for (Future<?> client : clients) {
      client.get();
    }
    System.out.printf("%s: %,d answers and updates%n", args[0], ANSWERS.get());
  }

  /** Three calls in four read an object, one in five writes one, the rest read a list. */
  private static void call(String gateway, Sizes sizes, long end) throws Exception {
    while (System.nanoTime() < end) {
      boolean write = sizes.oneIn(5);
      boolean list = !write && sizes.oneIn(16);
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(gateway + (list ? "/api/list" : "/api/item")))
              .header("Accept", "application/json")
              .header("Authorization", "Bearer " + "x".repeat(600))
              .header("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36");
      if (write) {
        request.POST(BodyPublishers.ofByteArray(new byte[sizes.next(900, 20_000, 1 << 18)]));
      }
      int status = CLIENT.send(request.build(), BodyHandlers.discarding()).statusCode();
      if (status != (write ? 201 : 200)) {
        throw new IllegalStateException("the gateway answered with " + status);
      }
      ANSWERS.incrementAndGet();
    }
  }

  /** A document every 50 ms and what it takes to read it. */
  private static void read(String document, long end) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(URI.create(document)).build();
    while (System.nanoTime() < end) {
      int status = CLIENT.send(request, BodyHandlers.discarding()).statusCode();
      if (status != 200) {
        throw new IllegalStateException("the gateway answered with " + status);
      }
      ANSWERS.incrementAndGet();
      Thread.sleep(50);
    }
  }

  private static void talk(String gateway, Sizes sizes, long end) throws Exception {
    URI address = URI.create(gateway + "/socket");
    WebSocket socket = CLIENT.newWebSocketBuilder().buildAsync(address, new Listener()).join();
    while (System.nanoTime() < end) {
      socket.sendText("m".repeat(sizes.next(90, 600, 4_000)), true).join();
      Thread.sleep(200);
    }
    socket.sendClose(WebSocket.NORMAL_CLOSURE, "").join();
  }

  private static final class Listener implements WebSocket.Listener {
    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
      ANSWERS.incrementAndGet();
      socket.request(1);
      return null;
    }
  }
}
