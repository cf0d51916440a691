package dev.weir.objects.s3;

import static dev.weir.streams.objects.Outcomes.await;
import static dev.weir.streams.objects.Outcomes.nativeBytes;
import static dev.weir.streams.objects.Outcomes.target;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.weir.streams.objects.ObjectContent;
import dev.weir.streams.objects.PutCondition;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the store's threads allocate on the Java heap while bodies pass: far less than these. */
class BodiesOffHeapTest {
  private static final int OBJECT_BYTES = 1 << 20;
  private static final int OBJECTS = 50;
  private static final Pattern LENGTH = Pattern.compile("(?i)\ncontent-length: (\\d+)");

  @TempDir Path folder;
  private ServerSocket server;
  private S3ObjectStore store;

  @BeforeEach
  void open() throws Exception {
    server = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    Thread.ofPlatform().daemon().start(this::accept);
    store =
        S3ObjectStore.unprobed(
            S3Options.of(URI.create("s3://bucket"))
                .withEndpoint(URI.create("http://127.0.0.1:" + server.getLocalPort()))
                .withCredentials("key", "secret"));
  }

  @AfterEach
  void close() throws IOException {
    store.close();
    server.close();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = server.accept();
        socket.setTcpNoDelay(true);
        Thread.ofPlatform().daemon().start(() -> serve(socket));
      }
    } catch (IOException e) {
      // The test has ended.
    }
  }

  /** Takes every write, and answers each read with zeros, without a thread of the store's. */
  private void serve(Socket socket) {
    byte[] body = new byte[OBJECT_BYTES];
    byte[] buffer = new byte[64 << 10];
    try (socket) {
      InputStream in = socket.getInputStream();
      StringBuilder head = new StringBuilder();
      for (int read; (read = in.read()) >= 0; ) {
        head.append((char) read);
        if (head.length() > 3 && head.substring(head.length() - 4).equals("\r\n\r\n")) {
          Matcher length = LENGTH.matcher(head);
          for (long left = length.find() ? Long.parseLong(length.group(1)) : 0; left > 0; ) {
            left -= in.read(buffer, 0, (int) Math.min(left, buffer.length));
          }
          boolean isRead = head.indexOf("GET") == 0;
          String answer =
              "HTTP/1.1 %s\r\nETag: \"e\"\r\nContent-Length: %d\r\n%s\r\n"
                  .formatted(
                      isRead ? "206 Partial Content" : "200 OK",
                      isRead ? body.length : 0,
                      isRead
                          ? "Content-Range: bytes 0-%d/9999999\r\n".formatted(body.length - 1)
                          : "");
          socket.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
          if (isRead) {
            socket.getOutputStream().write(body);
          }
          head.setLength(0);
        }
      }
    } catch (IOException e) {
      // The store has closed.
    }
  }

  @Test
  void readsAreNotCopiedThere() throws Exception {
    MemorySegment target = target(OBJECT_BYTES);
    await(store.read("a", null, 0, target));
    long before = allocatedBytes();
    for (int i = 0; i < OBJECTS; i++) {
      await(store.read("a", null, 0, target));
    }
    assertThat(allocatedBytes() - before).isLessThan((long) OBJECTS * OBJECT_BYTES / 2);
  }

  @Test
  void writesAreNotCopiedThere() throws Exception {
    ObjectContent content = ObjectContent.of(nativeBytes(1, OBJECT_BYTES));
    await(store.put("a", content, PutCondition.always()));
    long before = allocatedBytes();
    for (int i = 0; i < OBJECTS; i++) {
      await(store.put("a", content, PutCondition.always()));
    }
    assertThat(allocatedBytes() - before).isLessThan((long) OBJECTS * OBJECT_BYTES / 2);
  }

  /** Of the event loops: bodies pass nowhere else. */
  private static long allocatedBytes() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long[] loops =
        Arrays.stream(threads.dumpAllThreads(false, false))
            .filter(thread -> thread.getThreadName().startsWith("weir-s3"))
            .mapToLong(java.lang.management.ThreadInfo::getThreadId)
            .toArray();
    assertThat(loops).isNotEmpty();
    return Arrays.stream(threads.getThreadAllocatedBytes(loops)).sum();
  }
}
