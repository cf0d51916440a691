package dev.weir.lab.blindspot;

import dev.weir.lab.memory.ProcessRss;
import dev.weir.lab.report.Bytes;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PoolArenaMetric;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/** What Netty's metrics and the JVM's tell. */
final class NettyWitness implements Witness {
  private final ByteBufAllocator allocator;
  private final long anonymousBytesBefore;

  NettyWitness(ByteBufAllocator allocator) throws IOException {
    this.allocator = allocator;
    this.anonymousBytesBefore = ProcessRss.anonymousBytes();
  }

  @Override
  public void look() {
    // Its metrics are of the moment.
  }

  @Override
  public List<String> allocatorSays() {
    List<String> lines = new ArrayList<>();
    ByteBufAllocatorMetric metric = ((ByteBufAllocatorMetricProvider) allocator).metric();
    lines.add("usedDirectMemory %s MiB".formatted(Bytes.mib(metric.usedDirectMemory())));
    if (allocator instanceof PooledByteBufAllocator pooled) {
      lines.add("pinnedDirectMemory %s MiB".formatted(Bytes.mib(pooled.pinnedDirectMemory())));
      long active =
          pooled.metric().directArenas().stream()
              .mapToLong(PoolArenaMetric::numActiveAllocations)
              .sum();
      lines.add(
          "numDirectArenas %d, numThreadLocalCaches %d, chunkSize %s MiB, active allocations %,d"
              .formatted(
                  pooled.metric().numDirectArenas(),
                  pooled.metric().numThreadLocalCaches(),
                  Bytes.mib(pooled.metric().chunkSize()),
                  active));
    }
    for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
      if (pool.getName().equals("direct")) {
        lines.add(
            "java.nio:type=BufferPool,name=direct: MemoryUsed %s MiB, Count %,d"
                .formatted(Bytes.mib(pool.getMemoryUsed()), pool.getCount()));
      }
    }
    return lines;
  }

  @Override
  public String kernelSays() throws IOException {
    return "RssAnon of the process has grown by %s MiB"
        .formatted(Bytes.mib(ProcessRss.anonymousBytes() - anonymousBytesBefore));
  }
}
