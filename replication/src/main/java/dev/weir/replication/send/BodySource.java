package dev.weir.replication.send;

import dev.weir.replication.source.Slices;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import org.jspecify.annotations.Nullable;

/** Parts of open files, one after the other, that are the body of an answer. */
public interface BodySource extends Closeable {
  /** The next part, whose file the caller closes; null at the end. */
  Slices.@Nullable Slice next() throws IOException;

  /** A range of a container. */
  static BodySource of(Slices slices) {
    return new BodySource() {
      @Override
      public Slices.@Nullable Slice next() throws IOException {
        return slices.next();
      }

      @Override
      public void close() throws IOException {
        slices.close();
      }
    };
  }

  /** A whole file, which this closes. */
  static BodySource of(FileChannel file, String name, long length) {
    return new BodySource() {
      private boolean given;

      @Override
      public Slices.@Nullable Slice next() {
        if (given || length == 0) {
          return null;
        }
        given = true;
        return new Slices.Slice(file, name, 0, length);
      }

      @Override
      public void close() throws IOException {
        if (!given) {
          file.close();
        }
      }
    };
  }
}
