package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.http.Buffers;
import dev.weir.server.http.ConnectionMemory;
import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.streams.LocalDisk;
import io.netty.channel.Channel;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An event loop that ends while others go on, as it does where an error leaves it. */
@Timeout(60)
class LostLoopTest {
  @TempDir private Path directory;

  private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();

  private Node start(Transport transport) throws Exception {
    return Node.start(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
        directory,
        NodeFixture.BUDGET_BYTES,
        new NodeParts(
            new LocalDisk(),
            transport.orBest(),
            HttpLimits.forBudget(NodeFixture.BUDGET_BYTES),
            this::watched));
  }

  private Buffers watched(Buffers buffers) {
    return new Buffers(
        buffers.allocator(),
        buffers.admission(),
        channel -> {
          accepted.add(channel);
          return ConnectionMemory.shared(buffers.allocator(), buffers.admission());
        });
  }

  /** A node that has lost a loop can still be closed, by whoever embeds it. */
  @ParameterizedTest
  @EnumSource
  void aNodeThatHasLostAnEventLoopSaysSoAndEnds(Transport transport) throws Exception {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    try (Node node = start(transport);
        Socket client = new Socket()) {
      client.connect(node.address());
      Channel channel = accepted.poll(30, TimeUnit.SECONDS);
      assertThat(channel).isNotNull();
      channel.eventLoop().shutdownGracefully(0, 0, TimeUnit.SECONDS);
      int status = ServeCommand.runUntilSignalled(node, new PrintWriter(out), new PrintWriter(err));
      assertThat(status).isEqualTo(1);
    }
    assertThat(err.toString()).contains("event loop has ended", "acknowledged is on the disk");
    assertThat(out.toString()).isEmpty();
  }
}
