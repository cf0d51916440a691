package dev.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.streams.DataDirectoryException;
import dev.weir.streams.Disk;
import dev.weir.streams.LocalDisk;
import dev.weir.streams.StreamStore;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnwritableDirectoryTest {
  @TempDir Path directory;

  /** What is said when nothing can be made in the directory. */
  private String explained(IOException reason) {
    Disk real = new LocalDisk();
    Disk unwritable =
        (Disk)
            Proxy.newProxyInstance(
                Disk.class.getClassLoader(),
                new Class<?>[] {Disk.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("makeDirectories")) {
                    throw reason;
                  }
                  try {
                    return method.invoke(real, arguments);
                  } catch (InvocationTargetException failure) {
                    throw failure.getCause();
                  }
                });
    DataDirectoryException unusable =
        catchThrowableOfType(
            DataDirectoryException.class,
            () -> StreamStore.open(directory, unwritable, System::currentTimeMillis));
    return UnwritableDirectory.explain(directory, unusable);
  }

  @Test
  void aDirectoryThatMayNotBeWrittenToIsCalledSo() {
    String file = directory.toString();
    for (IOException reason :
        List.of(
            new AccessDeniedException(file),
            new FileSystemException(file, null, "Read-only file system"),
            new FileSystemException(file, null, "Operation not permitted"))) {
      assertThat(explained(reason))
          .startsWith("the data directory " + directory + " is not writable for the user ")
          .contains("--data")
          .hasLineCount(1);
    }
  }

  @Test
  void anyOtherReasonIsTold() {
    assertThat(explained(new IOException("the disk is on fire")))
        .contains("the disk is on fire")
        .doesNotContain("writable");
  }
}
