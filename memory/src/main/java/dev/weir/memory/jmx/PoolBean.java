package dev.weir.memory.jmx;

import dev.weir.memory.Pool;
import dev.weir.memory.view.MapWindow;
import dev.weir.memory.view.PoolView;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import javax.management.InstanceAlreadyExistsException;
import javax.management.InstanceNotFoundException;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
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
          server.registerMBean(new Bean(new WeakReference<>(pool), name), name);
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
    public String dump() {
      Pool seen = pool.get();
      return seen == null ? "the pool is gone" : seen.snapshot().toString();
    }
  }
}
