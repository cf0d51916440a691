package dev.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SuggestionTest {
  @ParameterizedTest
  @CsvSource({
    "port, port, 0",
    "prt, port, 1",
    "prot, port, 1",
    "ports, port, 1",
    "part, port, 1",
    "'', port, 4",
    "port, '', 4",
    "abcd, badc, 2",
    "kitten, sitting, 3"
  })
  void changesAreCounted(String from, String to, int changes) {
    assertThat(Suggestion.distance(from, to)).isEqualTo(changes);
    assertThat(Suggestion.distance(to, from)).isEqualTo(changes);
  }

  @Test
  void theNearestNameIsSuggestedAndNoneThatIsFar() {
    List<String> names = List.of("--port", "--profile", "--data");
    assertThat(Suggestion.of("--prt", names)).hasValue("--port");
    assertThat(Suggestion.of("--profil", names)).hasValue("--profile");
    assertThat(Suggestion.of("--nothing", names)).isEmpty();
    assertThat(Suggestion.of("--prt", List.of())).isEmpty();
  }
}
