package dev.weir.lab.replicate;

import dev.weir.lab.child.ParentLines;
import dev.weir.lab.grpc.GrpcFlow;
import dev.weir.lab.grpc.GrpcMemory;
import dev.weir.lab.grpc.GrpcSender;
import dev.weir.replication.net.RateLimit;
import dev.weir.replication.net.TlsContexts;
import dev.weir.replication.serve.ReplicationServer;
import dev.weir.replication.serve.ServeOptions;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sending side in a JVM of its own, with the words of a {@link CopyTask}. Says {@code ready
 * PORT}; asked for {@code figures}, it says {@code figures POOL FAILURE}.
 */
final class SenderMain {
  static final String NAME = "container";

  private SenderMain() {}

  public static void main(String[] arguments) throws IOException {
    CopyTask task = CopyTask.of(List.of(arguments));
    GrpcFlow flow = task.peer().flow();
    if (flow != null) {
      grpc(task, flow);
      return;
    }
    Path authority = task.authority();
    SslContext tls =
        authority == null ? null : TlsContexts.server(authority, Path.of(task.key()), null);
    if (task.peer() == Peer.WEIR) {
      weir(task, tls);
    } else {
      try (NettySender sender = NettySender.start(task.folder(), tls)) {
        serve(sender.port(), sender::pooledBytes, () -> "");
      }
    }
  }

  private static void serve(int port, LongSupplier poolBytes, Supplier<String> failure) {
    ParentLines parent = new ParentLines();
    parent.say("ready " + port);
    while (true) {
      parent.await("figures");
      parent.say(
          "figures " + poolBytes.getAsLong() + " " + failure.get().lines().findFirst().orElse(""));
    }
  }

  private static void weir(CopyTask task, @Nullable SslContext tls) throws IOException {
    Path cache =
        Files.createTempDirectory(task.folder().toAbsolutePath().getParent(), "manifests-");
    try (ReplicationServer server =
        ReplicationServer.start(
            new ServeOptions(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Map.of(NAME, task.folder()),
                cache,
                task.load().budgetBytes(),
                new RateLimit(0),
                tls,
                ServeOptions.DEFAULT_PROGRESS_LIMIT))) {
      serve(server.address().getPort(), server::peakResidentBytes, () -> "");
    }
  }

  private static void grpc(CopyTask task, GrpcFlow flow) throws IOException {
    GrpcMemory memory = memory(task);
    try (GrpcSender sender =
        GrpcSender.start(
            task.folder(), task.layout(), flow, memory, task.authority(), Path.of(task.key()))) {
      serve(sender.port(), memory::peakBytes, sender::firstFailure);
    }
  }

  /** The allocator that a peer of gRPC has on either side. */
  static GrpcMemory memory(CopyTask task) {
    return switch (task.peer()) {
      case GRPC_WEIR -> GrpcMemory.weir(task.load().directBytes());
      case GRPC_ADAPTIVE -> GrpcMemory.adaptive();
      default -> GrpcMemory.pooled();
    };
  }
}
