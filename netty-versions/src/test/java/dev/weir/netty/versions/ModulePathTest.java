package dev.weir.netty.versions;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A module that requires one of Weir's compiles, with all warnings on, beside what that module
 * brings at run time: without JSpecify, which it needs to be compiled itself.
 */
class ModulePathTest {
  @TempDir private Path output;

  @Test
  void memoryIsEnough() throws Exception {
    compile(
        "dev.weir.memory",
        """
        package consumer;
        import dev.weir.memory.*;
        import dev.weir.memory.budget.Budget;
        class Consumer {
          static long live() {
            Pool pool = Pool.create(PoolOptions.withLimit(64L << 20).withName("consumer"));
            Budget budget = pool.rootBudget().child("part", 1 << 20);
            pool.tryAllocate(100, budget).release();
            return pool.liveBlockBytes();
          }
        }
        """);
  }

  @ParameterizedTest
  @EnumSource(names = {"V4_1_100", "V4_2_18"})
  void nettyIsEnough(NettyVersion version) throws Exception {
    compile(
        version,
        "dev.weir.netty",
        """
        package consumer;
        import dev.weir.netty.WeirAllocator;
        import dev.weir.netty.flow.*;
        import dev.weir.netty.http.*;
        import dev.weir.netty.write.*;
        import io.netty.bootstrap.ServerBootstrap;
        import io.netty.buffer.ByteBuf;
        import io.netty.channel.*;
        class Consumer {
          static ServerBootstrap server(WeirAllocator allocator) {
            WeirAllocator.setLeakListener((type, records) -> System.out.println(type + records));
            ByteBuf buffer = allocator.charging(allocator.pool().rootBudget()).buffer();
            if (buffer.writeInt(7).release()) {
              ReadHolds.of(new io.netty.channel.embedded.EmbeddedChannel()).hold(ReadHolds.Reason.ORDER);
            }
            return new ServerBootstrap().childOption(ChannelOption.ALLOCATOR, allocator);
          }
          static ChannelFuture send(Channel channel, Object message) {
            return Owned.send(channel, message);
          }
        }
        """);
  }

  @Test
  void compressionIsEnough() throws Exception {
    compile(
        "dev.weir.compression",
        """
        package consumer;
        import dev.weir.compression.*;
        import dev.weir.compression.http.HttpResponseCompressor;
        class Consumer {
          static void add(io.netty.channel.Channel channel, Compression compression) {
            channel.pipeline().addLast(new HttpResponseCompressor(compression));
          }
        }
        """);
  }

  @Test
  void cacheIsEnough() throws Exception {
    compile(
        modulePath(Stream.of("memory", "cache")),
        "dev.weir.cache",
        """
        package consumer;
        import dev.weir.cache.block.*;
        import dev.weir.cache.log.*;
        import dev.weir.memory.*;
        class Consumer {
          static long tail(Pool pool, BlockObject object) {
            try (var log = LogCache.create(pool, pool.rootBudget(), LogCacheOptions.withCapacity(64 << 20));
                var blocks = BlockCache.create(pool, pool.rootBudget(), BlockCacheOptions.withCapacity(64 << 20));
                LogRead read = log.read(1, 0, 10, 1000)) {
              blocks.read(object, 0, 10).join().release();
              return read.byteSize();
            }
          }
        }
        """);
  }

  @Test
  void micrometerIsEnoughAlsoWithoutNetty() throws Exception {
    compile(
        modulePath(Stream.of("memory", "micrometer")),
        "dev.weir.micrometer",
        """
        package consumer;
        import dev.weir.memory.*;
        import dev.weir.micrometer.*;
        class Consumer {
          static void bind(Pool pool, io.micrometer.core.instrument.MeterRegistry registry) {
            new WeirMetrics(pool).bindTo(registry);
          }
        }
        """);
  }

  private void compile(String required, String consumer) throws Exception {
    compile(NettyVersion.V4_2_18, required, consumer);
  }

  private void compile(NettyVersion netty, String required, String consumer) throws Exception {
    List<Path> path =
        modulePath(Stream.of("memory", "cache", "micrometer", "netty", "compression"));
    path.addAll(netty.jars());
    compile(path, required, consumer);
  }

  private void compile(List<Path> path, String required, String consumer) throws Exception {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(diagnostics, Locale.ROOT, null)) {
      files.setLocationFromPaths(StandardLocation.MODULE_PATH, path);
      files.setLocationFromPaths(StandardLocation.CLASS_PATH, List.of());
      files.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(output));
      compiler
          .getTask(
              /* out= */ null,
              files,
              diagnostics,
              List.of("-Xlint:all", "-proc:none"),
              /* classes= */ null,
              List.of(
                  new Source("module-info", "module consumer { requires " + required + "; }"),
                  new Source("consumer/Consumer", consumer)))
          .call();
    }

    assertThat(diagnostics.getDiagnostics()).isEmpty();
    assertThat(output.resolve("module-info.class")).exists();
    assertThat(output.resolve("consumer/Consumer.class")).exists();
  }

  private static List<Path> modulePath(Stream<String> modules) {
    List<Path> path = new ArrayList<>();
    modules.map(ClassPath::weir).forEach(path::add);
    Stream.of("micrometer-[a-z]*", "zstd-jni", "HdrHistogram", "LatencyUtils")
        .map(ClassPath::jars)
        .forEach(path::addAll);
    return path;
  }

  private static final class Source extends SimpleJavaFileObject {
    private final String text;

    Source(String name, String text) {
      super(URI.create("string:///" + name + ".java"), Kind.SOURCE);
      this.text = text;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return text;
    }
  }
}
