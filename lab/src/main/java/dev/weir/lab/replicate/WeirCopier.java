package dev.weir.lab.replicate;

import dev.weir.replication.fetch.Fetch;
import dev.weir.replication.fetch.FetchOptions;
import dev.weir.replication.fetch.Progress;
import dev.weir.replication.net.RateLimit;
import dev.weir.replication.net.TlsContexts;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Fetches as the command does. Copies that run at a time share the budget, so that their sum keeps
 * within it.
 */
final class WeirCopier implements Copier {
  private final CopyTask task;
  private final @Nullable SslContext tls;
  private final RateLimit rate;
  private final ConcurrentLinkedQueue<Progress> all = new ConcurrentLinkedQueue<>();
  private final AtomicLong highest = new AtomicLong();

  WeirCopier(CopyTask task) throws IOException {
    this.task = task;
    Path authority = task.authority();
    this.tls = authority == null ? null : TlsContexts.client(authority, null, null);
    this.rate = new RateLimit(task.load().rateBytes());
  }

  @Override
  public void copy(Path target) throws IOException, InterruptedException {
    Progress progress = new Progress();
    all.add(progress);
    InetSocketAddress source = new InetSocketAddress(InetAddress.getLoopbackAddress(), task.port());
    try {
      Fetch.run(
          FetchOptions.of(source, SenderMain.NAME, target)
              .over(task.connections())
              .within(task.load().budgetBytes() / task.load().threads())
              .at(rate)
              .secured(tls),
          progress);
    } finally {
      highest.accumulateAndGet(progress.peakBufferBytes(), Math::max);
    }
  }

  @Override
  public long receivedBytes() {
    return all.stream().mapToLong(Progress::receivedBytes).sum();
  }

  /** Each copy has a pool: the highest peak of any, for as many as there are at a time. */
  @Override
  public long peakPoolBytes() {
    return highest.get() * task.load().threads();
  }
}
