package dev.weir.memory.jmx;

import dev.weir.memory.Pool;
import dev.weir.memory.view.MapWindow;
import dev.weir.memory.view.PoolView;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.Map;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanFeatureInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.jspecify.annotations.Nullable;

/**
 * Registers a pool with the platform's MBean server until it is closed: the first as {@code
 * java.nio:type=BufferPool,name=weir}, where tools look for buffer pools, the next as {@code
 * weir-2}. It does not keep the pool: a bean whose pool is gone shows nothing. Thread-safe.
 */
public final class PoolBean implements AutoCloseable {
  private static final String DOMAIN_AND_TYPE = "java.nio:type=BufferPool,name=";

  private static final int MAX_BEANS = 1024;

  private final MBeanServer server;
  private final ObjectName name;

  private PoolBean(MBeanServer server, ObjectName name) {
    this.server = server;
    this.name = name;
  }

  /**
   * Registers a pool.
   *
   * @throws IllegalStateException if the server refuses, or has 1,024 such beans
   */
  public static PoolBean register(Pool pool) {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    try {
      for (int number = 1; number <= MAX_BEANS; number++) {
        ObjectName name =
            new ObjectName(DOMAIN_AND_TYPE + (number == 1 ? "weir" : "weir-" + number));
        try {
          server.registerMBean(new Described(new Bean(new WeakReference<>(pool), name)), name);
          return new PoolBean(server, name);
        } catch (InstanceAlreadyExistsException taken) {
          // Another pool has it: the next number.
        }
      }
    } catch (JMException e) {
      throw new IllegalStateException("the pool cannot be registered as a managed bean", e);
    }
    throw new IllegalStateException(
        "%,d pools are registered as managed beans".formatted(MAX_BEANS));
  }

  /** What it is registered as. */
  public ObjectName objectName() {
    return name;
  }

  /** Takes it out of the server; a second call does nothing. */
  @Override
  public void close() {
    try {
      server.unregisterMBean(name);
    } catch (InstanceNotFoundException gone) {
      // That is what was wanted.
    } catch (JMException e) {
      throw new IllegalStateException("%s cannot be unregistered".formatted(name), e);
    }
  }

  /** The bean with a sentence for each attribute and operation, which tools show. */
  private static final class Described extends StandardMBean {
    private static final Map<String, String> SENTENCES =
        Map.ofEntries(
            Map.entry("Name", "Name of the pool among the buffer pools of the JVM"),
            Map.entry("Count", "Live blocks of the pool"),
            Map.entry("TotalCapacity", "Size of all live blocks, in bytes"),
            Map.entry("MemoryUsed", "Live and dirty pages, in bytes: what the limit limits"),
            Map.entry("LimitBytes", "Limit of live and dirty pages, in bytes"),
            Map.entry("LiveBytes", "Pages in use, in bytes"),
            Map.entry("DirtyBytes", "Pages that are free and not given back yet, in bytes"),
            Map.entry(
                "PeakResidentBytes", "Most that live and dirty pages have ever been, in bytes"),
            Map.entry("HeapBytes", "Slots of live heap buffers, in bytes of the Java heap"),
            Map.entry(
                "HeldHeapBytes",
                "Arrays behind heap buffers, with what is free in them, in bytes of the Java heap"),
            Map.entry("ObjectName", "Name of this bean"),
            Map.entry("dump", "Text for people: the pool, its size classes, runs and budgets"));

    Described(Bean bean) {
      super(bean, PoolMXBean.class, /* isMXBean= */ true);
    }

    @Override
    protected String getDescription(MBeanInfo info) {
      return "A pool of Weir's: memory outside the Java heap, within a limit of resident bytes";
    }

    @Override
    protected String getDescription(MBeanFeatureInfo info) {
      return SENTENCES.getOrDefault(info.getName(), info.getName());
    }
  }

  private record Bean(WeakReference<Pool> pool, ObjectName objectName) implements PoolMXBean {
    private @Nullable PoolView view() {
      Pool seen = pool.get();
      return seen == null ? null : seen.view(MapWindow.NOTHING);
    }

    @Override
    public ObjectName getObjectName() {
      return objectName;
    }

    @Override
    public String getName() {
      return objectName.getKeyProperty("name");
    }

    @Override
    public long getCount() {
      PoolView view = view();
      return view == null ? 0 : view.blocks();
    }

    @Override
    public long getTotalCapacity() {
      Pool seen = pool.get();
      return seen == null ? 0 : seen.liveBlockBytes();
    }

    @Override
    public long getMemoryUsed() {
      Pool seen = pool.get();
      return seen == null ? 0 : seen.residentBytes();
    }

    @Override
    public long getLimitBytes() {
      Pool seen = pool.get();
      return seen == null ? 0 : seen.limitBytes();
    }

    @Override
    public long getLiveBytes() {
      Pool seen = pool.get();
      return seen == null ? 0 : seen.liveBytes();
    }

    @Override
    public long getDirtyBytes() {
      Pool seen = pool.get();
      return seen == null ? 0 : seen.dirtyBytes();
    }

    @Override
    public long getPeakResidentBytes() {
      Pool seen = pool.get();
      return seen == null ? 0 : seen.peakResidentBytes();
    }

    @Override
    public long getHeapBytes() {
      Pool seen = pool.get();
      return seen == null ? 0 : seen.rootBudget().heapBytes();
    }

    @Override
    public long getHeldHeapBytes() {
      Pool seen = pool.get();
      return seen == null ? 0 : seen.rootBudget().heldHeapBytes();
    }

    @Override
    public String dump() {
      Pool seen = pool.get();
      return seen == null ? "the pool is gone" : seen.snapshot().toString();
    }
  }
}
