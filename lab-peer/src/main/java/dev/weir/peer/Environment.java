package dev.weir.peer;

import io.netty.buffer.ByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import java.util.LinkedHashMap;
import java.util.Map;

/** What this process runs on, as rows say it. */
final class Environment {
  private Environment() {}

  /** Netty's version, Java's, and the kind of direct buffers that Netty gets here. */
  static Map<String, Object> describe() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("netty", nettyVersion());
    map.put("java", System.getProperty("java.version"));
    map.put("vm", System.getProperty("java.vm.name"));
    map.put("noCleaner", PlatformDependent.useDirectBufferNoCleaner());
    map.put("maxDirectBytes", PlatformDependent.maxDirectMemory());
    return map;
  }

  /** From the name of its jar, which the build copies: {@code netty-buffer-4.1.51.Final.jar}. */
  private static String nettyVersion() {
    String jar =
        ByteBufAllocator.class.getProtectionDomain().getCodeSource().getLocation().getPath();
    String name = jar.substring(jar.lastIndexOf('/') + 1);
    return name.replace("netty-buffer-", "").replace(".Final", "").replace(".jar", "");
  }
}
