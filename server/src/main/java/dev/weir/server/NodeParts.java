package dev.weir.server;

import dev.weir.server.Node.ConsoleSettings;
import dev.weir.server.Node.TlsSettings;
import dev.weir.server.http.AccessPolicy;
import dev.weir.server.http.Buffers;
import dev.weir.server.http.HttpLimits;
import dev.weir.server.http.Sockets;
import dev.weir.server.http.Transport;
import dev.weir.streams.Disk;
import dev.weir.streams.LocalDisk;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What a node stands on, and what it allows: replaced by tests.
 *
 * @param replication how it offers what it has flushed; null: it does not
 */
record NodeParts(
    Disk disk,
    Sockets sockets,
    HttpLimits limits,
    UnaryOperator<Buffers> buffers,
    ConsoleSettings console,
    @Nullable HardeningRate hardening,
    CodingChoice codings,
    @Nullable TlsSettings tls,
    AccessPolicy access,
    StorageSettings storage,
    @Nullable ReplicationSettings replication) {
  private static final System.Logger LOG = System.getLogger(NodeParts.class.getName());

  NodeParts(Disk disk, Transport transport, HttpLimits limits) {
    this(disk, transport, limits, UnaryOperator.identity());
  }

  NodeParts(Disk disk, Transport transport, HttpLimits limits, UnaryOperator<Buffers> buffers) {
    this(
        disk,
        Sockets.of(transport),
        limits,
        buffers,
        ConsoleSettings.DEFAULT,
        /* hardening= */ null,
        CodingChoice.DEFAULT,
        /* tls= */ null,
        AccessPolicy.DEFAULT,
        StorageSettings.DEFAULT,
        /* replication= */ null);
  }

  NodeParts with(ConsoleSettings settings) {
    return new NodeParts(
        disk,
        sockets,
        limits,
        buffers,
        settings,
        hardening,
        codings,
        tls,
        access,
        storage,
        replication);
  }

  NodeParts hardened(@Nullable HardeningRate rate) {
    return new NodeParts(
        disk, sockets, limits, buffers, console, rate, codings, tls, access, storage, replication);
  }

  NodeParts coding(CodingChoice choice) {
    return new NodeParts(
        disk,
        sockets,
        limits,
        buffers,
        console,
        hardening,
        choice,
        tls,
        access,
        storage,
        replication);
  }

  /** For the clients that a policy lets in. */
  NodeParts serving(AccessPolicy clients) {
    return new NodeParts(
        disk,
        sockets,
        limits,
        buffers,
        console,
        hardening,
        codings,
        tls,
        clients,
        storage,
        replication);
  }

  /** Keeping streams in another way. */
  NodeParts keeping(StorageSettings others) {
    return new NodeParts(
        disk,
        sockets,
        limits,
        buffers,
        console,
        hardening,
        codings,
        tls,
        access,
        others,
        replication);
  }

  /** Offering what it has flushed; null: not. */
  NodeParts replicating(@Nullable ReplicationSettings settings) {
    return new NodeParts(
        disk, sockets, limits, buffers, console, hardening, codings, tls, access, storage,
        settings);
  }

  /** With other limits. */
  NodeParts within(HttpLimits others) {
    return new NodeParts(
        disk,
        sockets,
        others,
        buffers,
        console,
        hardening,
        codings,
        tls,
        access,
        storage,
        replication);
  }

  /** On another transport, if it can be used here. */
  NodeParts over(Transport wanted) {
    return over(new Sockets(wanted, sockets.eventLoops(), sockets.sendBufferBytes()));
  }

  /** With connections that are served in another way, if their transport can be used here. */
  NodeParts over(Sockets wanted) {
    return new NodeParts(
        disk,
        new Sockets(wanted.transport().orBest(), wanted.eventLoops(), wanted.sendBufferBytes()),
        limits,
        buffers,
        console,
        hardening,
        codings,
        tls,
        access,
        storage,
        replication);
  }

  /** With TLS, and fewer connections, since each takes more; null leaves all as it is. */
  NodeParts secured(@Nullable TlsSettings settings) {
    return settings == null ? this : within(limits.withTls()).encrypted(settings);
  }

  /** With TLS, and the same limits. */
  NodeParts encrypted(TlsSettings settings) {
    return new NodeParts(
        disk,
        sockets,
        limits,
        buffers,
        console,
        hardening,
        codings,
        settings,
        access,
        storage,
        replication);
  }

  static NodeParts forBudget(long budgetBytes) {
    HttpLimits wanted = HttpLimits.forBudget(budgetBytes);
    long descriptors = FileDescriptors.limit();
    HttpLimits possible = wanted.within(descriptors);
    if (possible.maxConnections() < wanted.maxConnections()) {
      LOG.log(
          System.Logger.Level.WARNING,
          "at most {0} connections, not {1}: {2} open files are allowed (ulimit -n)",
          possible.maxConnections(),
          wanted.maxConnections(),
          descriptors);
    }
    return new NodeParts(new LocalDisk(), Transport.best(), possible);
  }
}
