package dev.weir.memory.jmx;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.AllocatorSupport;
import dev.weir.memory.Block;
import dev.weir.memory.Pool;
import dev.weir.memory.PoolOptions;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import javax.management.JMX;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

class PoolBeanTest {
  private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();

  @Test
  void aPoolIsSeenBesideTheBufferPoolsOfTheJdk() throws Exception {
    ObjectName name = new ObjectName("java.nio:type=BufferPool,name=weir");
    Pool pool = Pool.create(PoolOptions.withLimit(8 << 20).withName("managed"));
    Block block = pool.allocate(1000);
    AllocatorSupport.of(pool)
        .arrays()
        .tryAllocate(/* heap= */ null, 1000, (home, number, found) -> home);
    try (PoolBean bean = PoolBean.register(pool)) {
      assertThat(bean.objectName()).isEqualTo(name);
      BufferPoolMXBean asAny = JMX.newMXBeanProxy(server, name, BufferPoolMXBean.class);
      assertThat(asAny.getName()).isEqualTo("weir");
      assertThat(asAny.getCount()).isEqualTo(1);
      assertThat(asAny.getTotalCapacity()).isEqualTo(1024);
      assertThat(asAny.getMemoryUsed()).isEqualTo(pool.residentBytes());
      assertThat(server.queryNames(new ObjectName("java.nio:type=BufferPool,*"), null))
          .contains(name, new ObjectName("java.nio:type=BufferPool,name=direct"));
      assertThat(server.getAttribute(name, "LimitBytes")).isEqualTo(8L << 20);
      assertThat(server.getAttribute(name, "LiveBytes")).isEqualTo(pool.liveBytes());
      assertThat(server.getAttribute(name, "DirtyBytes")).isEqualTo(0L);
      assertThat(server.getAttribute(name, "PeakResidentBytes"))
          .isEqualTo(pool.peakResidentBytes());
      assertThat(server.getAttribute(name, "HeapBytes")).isEqualTo(1024L);
      assertThat(server.getAttribute(name, "HeldHeapBytes"))
          .isEqualTo(pool.rootBudget().heldHeapBytes())
          .satisfies(held -> assertThat((long) held).isGreaterThan(1024));
      MBeanInfo info = server.getMBeanInfo(name);
      assertThat(info.getDescription()).contains("Weir");
      assertThat(info.getAttributes())
          .hasSize(11)
          .allSatisfy(attribute -> assertThat(attribute.getDescription()).contains(" "));
      assertThat(info.getOperations())
          .allSatisfy(operation -> assertThat(operation.getDescription()).contains(" "));
      assertThat(server.invoke(name, "dump", new Object[0], new String[0]).toString())
          .contains("pool managed");
    }
    assertThat(server.isRegistered(name)).isFalse();
    block.release();
    pool.close();
  }

  @Test
  void furtherPoolsGetNumbersAndClosedOnesShowNothing() {
    Pool first = Pool.create(PoolOptions.withLimit(8 << 20));
    Pool second = Pool.create(PoolOptions.withLimit(8 << 20));
    try (PoolBean one = PoolBean.register(first);
        PoolBean two = PoolBean.register(second)) {
      assertThat(one.objectName().getKeyProperty("name")).isEqualTo("weir");
      assertThat(two.objectName().getKeyProperty("name")).isEqualTo("weir-2");
      second.allocate(100).release();
      second.close();
      PoolMXBean bean = JMX.newMXBeanProxy(server, two.objectName(), PoolMXBean.class);
      assertThat(bean.getCount()).isZero();
    }
    PoolBean twice = PoolBean.register(first);
    twice.close();
    twice.close();
    assertThat(server.isRegistered(twice.objectName())).isFalse();
    first.close();
  }
}
