package dev.weir.replication.serve;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/** Takes the body of a request. For the connection's event loop. */
interface BodyIntake {
  /**
   * Takes the next bytes.
   *
   * @throws IOException why they are not taken: it is answered, after {@link #abort}
   */
  void accept(ByteBuf part) throws IOException;

  /**
   * All of it has come: this answers.
   *
   * @throws IOException why it is of no use: it is answered
   */
  void end() throws IOException;

  /** The rest will not come. */
  void abort();
}
