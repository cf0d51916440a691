package dev.weir.netty.versions;

import dev.weir.netty.transport.WeirEpollIoHandler;
import dev.weir.netty.transport.WeirIoUringIoHandler;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.Version;
import java.util.Set;

/** Weir with the Netty on the class path. Writes a line for each thing that holds. */
final class VersionProgram {
  private VersionProgram() {}

  public static void main(String[] arguments) throws Exception {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    System.out.println("Netty: " + Version.identify().get("netty-buffer").artifactVersion());
    Set<String> lacking = Loading.lacking();
    System.out.println(lacking.isEmpty() ? "no class lacks anything" : "lacking: " + lacking);
    new AllocatorLife().run();
    System.out.println("the allocator serves an event loop");
    // Calls, not references to the methods: for those the JVM looks at what they return.
    System.out.println("epoll: " + refusal(() -> WeirEpollIoHandler.newFactory()));
    System.out.println("io_uring: " + refusal(() -> WeirIoUringIoHandler.newFactory()));
  }

  private static String refusal(Runnable newFactory) {
    try {
      newFactory.run();
      return "none";
    } catch (UnsupportedOperationException tooOld) {
      return tooOld.getMessage();
    } catch (LinkageError noNativeLibrary) {
      return "none";
    }
  }
}
