package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import dev.weir.memory.jmx.PoolBean;
import dev.weir.server.http.Buffers;
import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Transport;
import dev.weir.streams.LocalDisk;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node that cannot start keeps nothing: its port, its directory, its memory. */
class NodeStartTest {
  private static final long BUDGET_BYTES = NodeFixture.BUDGET_BYTES;

  @TempDir Path directory;

  private Node start(int port, UnaryOperator<Buffers> buffers) throws IOException {
    return Node.start(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
        directory,
        BUDGET_BYTES,
        new NodeParts(
            new LocalDisk(), Transport.best(), HttpLimits.forBudget(BUDGET_BYTES), buffers));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** Takes all the names that a pool's bean may have. */
  private static void takeNames(Pool pool, List<ObjectName> taken) throws JMException {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    PoolBean first = PoolBean.register(pool);
    taken.add(first.objectName());
    for (int number = 2; number <= 1024; number++) {
      ObjectName name = new ObjectName(first.objectName() + "-" + number);
      beans.registerMBean(new StandardMBean(() -> {}, Runnable.class), name);
      taken.add(name);
    }
  }

  private static void giveBack(List<ObjectName> taken) throws JMException {
    for (ObjectName name : taken) {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
    }
  }

  @Test
  void theBeanCannotBeRegistered() throws Exception {
    int port = freePort();
    List<ObjectName> taken = new ArrayList<>();
    try (Pool pool = Pool.create(PoolOptions.withLimit(4 << 20))) {
      takeNames(pool, taken);
      assertThatThrownBy(() -> start(port, UnaryOperator.identity()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("managed beans")
          .hasNoSuppressedExceptions();
    } finally {
      giveBack(taken);
    }
    start(port, UnaryOperator.identity()).close();
  }

  @Test
  void anErrorComesInBetween() throws Exception {
    Error error = new OutOfMemoryError("of a test");
    assertThatThrownBy(() ->
            start(
                0,
                buffers -> {
                  throw error;
                }))
        .isSameAs(error);
    assertThat(error.getSuppressed()).isEmpty();
    start(0, UnaryOperator.identity()).close();
  }
}
