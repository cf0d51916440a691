package dev.weir.lab.replicate;

import dev.weir.lab.child.ParentLines;
import dev.weir.lab.grpc.GrpcMemory;
import dev.weir.lab.grpc.GrpcReceiver;
import dev.weir.replication.net.RateLimit;
import dev.weir.replication.net.TlsContexts;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The receiving side in a JVM of its own, with the words of a {@link CopyTask}. Says {@code ready};
 * on {@code copy} it copies once and leaves the copy there, on {@code run} it copies as the load
 * says and leaves nothing. For each copy it says {@code done NANOS}, or {@code failed NANOS
 * REASON}; then {@code end BUSY_NANOS POOL SLOWEST FASTEST}, the last two in bytes a second over
 * ten seconds.
 */
final class ReceiverMain {
  private ReceiverMain() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    CopyTask task = CopyTask.of(List.of(arguments));
    Copier copier = copier(task);
    ParentLines parent = new ParentLines();
    parent.say("ready");
    while (true) {
      if (parent.await("copy", "run").equals("copy")) {
        once(copier, Files.createDirectories(task.folder().resolve("0")), parent);
      } else {
        new CopyLoop(task.load(), copier, task.folder(), parent::say).run();
      }
    }
  }

  private static void once(Copier copier, Path target, ParentLines parent)
      throws InterruptedException {
    long start = System.nanoTime();
    try {
      copier.copy(target);
      parent.say("done " + (System.nanoTime() - start));
    } catch (IOException failed) {
      parent.say(CopyLoop.failed(System.nanoTime() - start, failed));
    }
  }

  private static Copier copier(CopyTask task) throws IOException {
    InetSocketAddress source = new InetSocketAddress(InetAddress.getLoopbackAddress(), task.port());
    if (task.peer() == Peer.WEIR) {
      return new WeirCopier(task);
    }
    return task.peer().flow() == null ? netty(task, source) : grpc(task, source);
  }

  private static Copier netty(CopyTask task, InetSocketAddress source) throws IOException {
    Path authority = task.authority();
    NettyReceiver receiver =
        new NettyReceiver(
            source,
            "/0",
            task.bytes(),
            task.connections(),
            authority == null ? null : TlsContexts.client(authority, null, null));
    return new Copier() {
      @Override
      public void copy(Path target) throws IOException {
        receiver.copy(target.resolve("copy"));
      }

      @Override
      public long peakPoolBytes() {
        return PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
      }
    };
  }

  private static Copier grpc(CopyTask task, InetSocketAddress source) throws IOException {
    GrpcMemory memory = SenderMain.memory(task);
    GrpcReceiver receiver =
        new GrpcReceiver(
            source,
            task.layout(),
            task.connections(),
            memory,
            new RateLimit(task.load().rateBytes()),
            task.authority());
    return new Copier() {
      @Override
      public void copy(Path target) throws IOException {
        receiver.copy(target);
      }

      @Override
      public long receivedBytes() {
        return receiver.receivedBytes();
      }

      @Override
      public long peakPoolBytes() {
        return memory.peakBytes();
      }
    };
  }
}
